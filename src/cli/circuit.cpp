#include "cli/circuit.hpp"

#include "cli/session.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

NetlistOptions netlist_options(const Settings& settings, const std::string& adders) {
  NetlistOptions options{.registers = !settings.flag("combinational")};
  options.adders.method =
      adder_method_from_name(adders.empty() ? settings.text_or_empty("adders") : adders)
          .value_or(AdderMethod::Shared);
  options.adders.depth = static_cast<int>(settings.maybe_integer("depth").value_or(0));
  return options;
}

Status write_all(const Circuit& circuit, const Vectors& vectors, const fs::path& folder) {
  for (const SourceFile& file : circuit_files(circuit.netlist, vectors))
    CH_CHECK(write_file(folder / file.name, file.text));
  CH_CHECK(write_file(folder / "integer.txt", print(circuit.integers, Lists::Whole)));
  return write_file(folder / "netlist.txt", print(circuit.netlist));
}

/// Whether a folder may be replaced.
Status check_replaceable(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error) || fs::exists(folder / "rtl/files.f", error) ||
      fs::is_empty(folder, error))
    return {};
  return Error{.what = cat("'", folder.string(), "' exists and holds no circuit"),
               .hint = "name another folder with --out"};
}

}  // namespace

std::vector<SettingDef> circuit_settings() {
  return {
      {.field = {.name = "adders",
                 .initial = "shared",
                 .doc = "how products by constants are made: shared sums, canonical signed "
                        "digits, or left to the synthesiser",
                 .choices = {"shared", "canonical", "plain"}},
       .placeholder = "HOW"},
      {.field = {.name = "depth",
                 .doc = "adders one behind the other in a layer, at most; without it any number",
                 .kind = FieldKind::Integer,
                 .bounds = {.least = 1, .most = 64}},
       .placeholder = "N"},
      flag("combinational", "no registers between the layers")};
}

Result<Circuit> make_circuit(const Settings& settings, const std::string& adders) {
  CH_TRY(const ModelSource source, classify(settings.text_or_empty("model")));
  CH_TRY(OpenedModel model, open_for_data(source, settings, ""));
  Circuit circuit{.name = model.name, .graph = std::move(model.graph)};
  CH_TRY(circuit.integers, to_integer(circuit.graph));
  CH_TRY(circuit.netlist, to_netlist(circuit.integers, netlist_options(settings, adders)));
  return circuit;
}

Status write_circuit(const Circuit& circuit, const Vectors& vectors, const fs::path& folder) {
  CH_CHECK(check_replaceable(folder));
  std::error_code error;
  const fs::path made = folder.string() + ".new";
  const fs::path old = folder.string() + ".old";
  fs::remove_all(made, error);
  if (Status written = write_all(circuit, vectors, made); !written) {
    fs::remove_all(made, error);
    return written;
  }
  fs::remove_all(old, error);
  if (fs::exists(folder, error)) fs::rename(folder, old, error);
  fs::rename(made, folder, error);
  if (error) return Error{.what = cat("cannot write '", folder.string(), "': ", error.message())};
  fs::remove_all(old, error);
  return {};
}

Tree tree_of(const Estimate& made) {
  Tree parts;
  for (const double part : made.parts.list()) parts.push(part);
  return Tree::Table{{"luts", made.luts},       {"registers", made.registers},
                     {"carries", made.carries}, {"dsps", made.dsps},
                     {"latency", made.latency}, {"parts", parts},
                     {"error", error_text()}};
}

Tree tree_of(const Circuit& circuit) {
  const CellCounts counts = count_cells(circuit.netlist);
  Tree result = Tree::Table{{"model", circuit.name},
                            {"latency", circuit.netlist.top().latency},
                            {"adders", counts.adders},
                            {"adder_bits", counts.adder_bits},
                            {"adder_depth", counts.adder_depth},
                            {"tables", counts.tables},
                            {"table_bits", counts.table_bits},
                            {"registers", counts.registers}};
  result["estimate"] = tree_of(estimate(circuit.netlist));
  for (const IntegerNode& node : circuit.integers.nodes)
    result["nodes"].push(Tree::Table{{"name", node.name},
                                     {"op", node.op},
                                     {"bits", width_of(node.type.range())},
                                     {"frac", node.type.frac},
                                     {"remark", node.remark}});
  return result;
}

std::string estimate_text(const Estimate& made) {
  return cat("Estimated for UltraScale+: ", with_commas(made.luts), " LUTs, ",
             with_commas(made.registers), " registers, ", with_commas(made.carries),
             " CARRY4, no DSP; ", error_text(), "\n");
}

std::string counts_text(const Circuit& circuit) {
  const CellCounts counts = count_cells(circuit.netlist);
  return cat(with_commas(counts.adders), " adders of ", with_commas(counts.adder_bits),
             " bits, at most ", counts.adder_depth, " one behind the other; ",
             with_commas(counts.tables), " tables of ", with_commas(counts.table_bits), " bits; ",
             with_commas(counts.registers), " register bits\nLatency ",
             circuit.netlist.top().latency,
             " cycles, a sample every cycle. Matrices are proven equal to their adders.\n",
             estimate_text(estimate(circuit.netlist)));
}

}  // namespace chop::cli
