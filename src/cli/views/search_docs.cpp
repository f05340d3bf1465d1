// The reference page of the search: samplers, pruners, runners with their metrics, stores.
#include "cli/views/reference_docs.hpp"
#include "report/table.hpp"
#include "search/search_config.hpp"
#include "search/store/store.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

std::string markdown(const std::vector<const char*>& headers,
                     const std::vector<std::vector<Cell>>& rows) {
  Table table;
  for (const char* header : headers) table.columns.push_back({header, Align::Left});
  table.rows = rows;
  return render(table, {.style = TableStyle::Markdown}) + "\n";
}

std::string arguments(std::span<const Field> defs) {
  if (defs.empty()) return "";
  std::vector<std::vector<Cell>> rows;
  for (const Field& def : defs)
    rows.push_back({cat("`", def.name, "`"),
                    default_text(def).empty() ? std::string() : cat("`", default_text(def), "`"),
                    describe_allowed(def), def.doc});
  return markdown({"argument", "default", "allowed", "meaning"}, rows);
}

std::string samplers() {
  std::string text =
      "## Samplers\n\n`sampler` of the setup; arguments in "
      "`[search.strategy.sampler]`.\n\n";
  for (const SamplerDef& def : all_samplers()) {
    text += cat("### ", def.name, "\n\n", def.doc, "; reproducible ", def.reproducible, ".");
    if (!def.aliases.empty()) {
      const std::vector<std::string> names(def.aliases.begin(), def.aliases.end());
      text += cat(" Also called ", join(names, ", "), ".");
    }
    text += "\n\n";
    if (!def.details.empty()) text += cat(def.details, "\n\n");
    text += arguments(def.args);
  }
  return text;
}

std::string pruners() {
  std::string text =
      "## Pruners\n\n`pruner` of the setup, for one objective; arguments in "
      "`[search.strategy.pruner]`. Trials report after every epoch (basic_train) or "
      "every fifth of the rows (basic_evaluation).\n\n";
  for (const PrunerDef& def : all_pruners())
    text += cat("### ", def.name, "\n\n", def.doc, ".\n\n", arguments(def.args));
  return text;
}

std::string runners() {
  std::string text = "## Runners and metrics\n\n";
  for (const RunnerDef& def : all_runners()) {
    text += cat("### ", def.name, "\n\n`[search.strategy.",
                def.hardware ? "hw_runner." : "sw_runner.", def.name, "]`: ", def.doc, ".\n\n");
    std::vector<std::vector<Cell>> rows;
    for (const auto& [name, doc] : def.metrics) rows.push_back({cat("`", name, "`"), doc});
    text += markdown({"metric", "what it is"}, rows) + arguments(def.args);
  }
  return text;
}

std::string stores() {
  std::vector<std::vector<Cell>> rows;
  for (const StoreDef& def : all_stores())
    rows.push_back({def.name, cat("`", def.example, "`"), def.doc});
  return "## Stores\n\n" + markdown({"store", "`--storage`", "what it is"}, rows);
}

}  // namespace

std::string search_reference() {
  return cat("## Setup\n\n`[search.strategy.setup]`.\n\n", arguments(search_setup_args()),
             samplers(), pruners(), runners(), stores());
}

}  // namespace chop::cli
