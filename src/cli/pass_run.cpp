#include "cli/pass_run.hpp"

#include <iomanip>
#include <sstream>

#include "cli/output.hpp"
#include "cli/session.hpp"
#include "ir/text/text.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

Status dump(const fs::path& folder, std::size_t number, std::string_view name, const Graph& graph) {
  std::ostringstream file;
  file << std::setw(2) << std::setfill('0') << number << '-' << name << ".txt";
  return write_file(folder / file.str(), print(graph));
}

std::string milliseconds(double seconds) {
  return cat(Cell(seconds * 1e3, 2).text, " ms");
}

}  // namespace

Result<std::vector<PassReport>> run_and_print(const Invocation& invocation, Graph& graph,
                                              std::span<const PassCall> calls,
                                              const PassContext& context) {
  const std::string folder = invocation.settings.text_or_empty("dump");
  CH_CHECK(add_metadata(graph, context));
  std::size_t number = 0;
  if (!folder.empty()) CH_CHECK(dump(folder, number, "start", graph));
  const PassOptions options{.before = [](const PassCall& call, const Graph& /*graph*/) -> Status {
                              log_debug(cat("Running pass '", call.def->name, "'..."));
                              return {};
                            },
                            .after = [&](const PassReport& report, const Graph& changed) -> Status {
                              if (prints_text(invocation))
                                invocation.out << report.output.text << std::flush;
                              for (const std::string& warning : report.output.warnings)
                                log_warning(warning);
                              for (const fs::path& file : report.output.files)
                                log_info(cat("Written by ", report.name, ": ", file.string()));
                              log_info(cat("Pass ", report.name, ": ", milliseconds(report.seconds),
                                           ", changed ", describe(report.changes)));
                              return folder.empty() ? Status()
                                                    : dump(folder, ++number, report.name, changed);
                            }};
  PassContext styled = context;
  styled.tables = asked_style(invocation);
  return run_passes(graph, calls, styled, options);
}

void aim_at_target(PassContext& context, const Settings& settings) {
  context.target = settings.text_or_empty("target");
  context.num_targets = settings.integer("num_targets");
}

Result<Tree> run_pass(const Invocation& invocation, OpenedModel& model, const PassCall& call,
                      const fs::path& folder) {
  const Settings& settings = invocation.settings;
  std::optional<Dataset> data;
  std::string name = settings.text_or_empty("dataset");
  if (name.empty() && call.def->needs_samples) name = model.dataset;
  if (!name.empty()) {
    CH_TRY(data, open_dataset(name, data_options(settings), model.graph, Labels::Optional));
    CH_CHECK(check_fits(model.graph, calibration_rows(*data), data->num_classes));
  }
  PassContext context{.samples = data ? &calibration_rows(*data) : nullptr,
                      .batch_size = settings.integer("batch_size"),
                      .threads = thread_count(settings),
                      .seed = settings.seed(),
                      .folder = folder};
  if (find_setting(settings.defs(), "target") != nullptr) aim_at_target(context, settings);
  CH_TRY(const std::vector<PassReport> reports,
         run_and_print(invocation, model.graph, {&call, 1}, context));
  return Tree(Tree::Table{
      {"model", model.name}, {"batch_size", context.batch_size}, {"passes", tree_of(reports)}});
}

Tree tree_of(std::span<const PassReport> reports) {
  Tree list = Tree::list();
  for (const PassReport& report : reports) {
    Tree files = Tree::list();
    for (const fs::path& file : report.output.files) files.push(file.string());
    list.push(Tree::Table{{"pass", report.name},
                          {"seconds", report.seconds},
                          {"changed", describe(report.changes)},
                          {"info", report.output.info},
                          {"files", std::move(files)},
                          {"warnings", report.output.warnings}});
  }
  return list;
}

SettingDef dump_setting() {
  return {.field = {.name = "dump",
                    .doc = "write the graph as text there before the first pass and after each",
                    .kind = FieldKind::Path},
          .placeholder = "DIR"};
}

}  // namespace chop::cli
