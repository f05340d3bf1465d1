// ch emit MODEL|FILE: the circuit of a quantised network, as SystemVerilog with a testbench.
#include "cli/circuits/circuit_folder.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::emit {
namespace {

constexpr std::size_t kVectors = 100;  ///< random ones of the testbench

Table layer_table(const IntegerGraph& graph) {
  Table table{.columns = {{"Node", Align::Left, 0, "node"},
                          {"Op", Align::Left, 0, "op"},
                          {"Shape", Align::Left, 0, "shape"},
                          {"Bits", Align::Right, 0, "bits"},
                          {"Frac", Align::Right, 0, "frac"},
                          {"Range", Align::Left, 0, "range"}},
              .rows = {}};
  for (const IntegerNode& node : graph.nodes)
    table.rows.push_back({node.name, node.op, to_string(node.type.shape),
                          width_of(node.type.range()), node.type.frac, to_text(node.type.range())});
  return table;
}

std::string remarks_text(const IntegerGraph& graph) {
  std::string text;
  for (const IntegerNode& node : graph.nodes)
    if (!node.remark.empty()) text += cat("  ", node.name, ": ", node.remark, "\n");
  if (text.empty()) return "Float32 is exact for every node: the float run has the same numbers\n";
  return cat("Where the float run may differ, these integers are the definition:\n", text);
}

Result<Exit> show(const Invocation& invocation, const Circuit& circuit, const std::string& what) {
  const Lists lists = invocation.settings.flag("values") ? Lists::Whole : Lists::Short;
  if (what == "integer") return print_text(invocation, what, print(circuit.integers, lists));
  if (what == "netlist")
    return print_text(invocation, what,
                      print(circuit.is_folded() ? circuit.stream->cores : circuit.netlist));
  std::string text;
  for (const SourceFile& file : sources_of(circuit)) text += file.text;
  return print_text(invocation, what, text);
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  CH_TRY(const Circuit circuit, make_circuit(settings));
  if (const auto what = settings.text("show")) return show(invocation, circuit, *what);
  const std::string out = settings.text_or_empty("out");
  CH_TRY(const CircuitFolder folder, CircuitFolder::take(out, "`ch emit`"));
  CH_CHECK(folder.write(circuit, make_vectors(circuit.definition, kVectors, 0)));
  Tree result = tree_of(circuit);
  result["folder"] = out;
  if (prints_text(invocation))
    invocation.out << shown(invocation, layer_table(circuit.integers), TableStyle::Simple) << "\n"
                   << remarks_text(circuit.integers) << counts_text(circuit) << "Written to " << out
                   << ": rtl/, sim/, test/, project/\n";
  return done(invocation, result);
}

}  // namespace

ActionDef define() {
  std::vector<SettingDef> own = circuit_settings();
  own.push_back({.field = {.name = "show",
                           .doc = "print one form instead of writing",
                           .kind = FieldKind::Text,
                           .choices = {"integer", "netlist", "verilog"}},
                 .placeholder = "FORM"});
  own.push_back(flag("values", "with --show integer, all values of long lists"));
  return {
      .name = "emit",
      .usage = "ch emit MODEL|FILE [--out DIR] [options]",
      .summary = "write the circuit of a quantised network: SystemVerilog and a testbench",
      .details =
          "  ch emit quantised.mz --out hardware\n"
          "  ch emit quantised.mz --show integer\n"
          "  ch emit quantised.mz --adders canonical --combinational\n"
          "  ch emit quantised.mz --pipeline 8 --interface stream --argmax\n"
          "  ch emit convolutions.mz --reuse 16\n"
          "Every operand must carry a fixed-point format (`ch transform` with the pass quantize);\n"
          "one error lists the nodes that do not. docs/hardware.md explains the rest.",
      .positionals = {"model"},
      .required = {"model"},
      .settings = circuit_uses({"shape", "seed", "log_level", "json", "quiet", "no_warnings"}),
      .own = std::move(own),
      .run = run};
}

}  // namespace chop::cli::actions::emit
