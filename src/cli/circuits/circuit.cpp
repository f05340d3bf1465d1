#include "cli/circuits/circuit.hpp"

#include "cli/session.hpp"
#include "hardware/stream/units.hpp"
#include "hardware/verilog/target.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

/// What stands for the value of an option in the help.
std::string_view placeholder_of(const Field& field) {
  static const std::map<std::string_view, std::string_view> kOwn = {
      {"adders", "HOW"}, {"pipeline", "STAGES"}, {"reuse", "N"}};
  if (const auto found = kOwn.find(field.name); found != kOwn.end()) return found->second;
  const FieldKind kind = kind_of(field);
  return kind == FieldKind::Text ? "KIND" : kind == FieldKind::Integer ? "N" : "";
}

}  // namespace

std::vector<std::string_view> circuit_uses(std::vector<std::string_view> more) {
  more.insert(more.end(), {"target", "num_targets"});
  return more;
}

std::vector<SettingDef> circuit_settings() {
  std::vector<SettingDef> all;
  for (const Field& field : circuit_fields()) {
    if (kind_of(field) == FieldKind::Flag)
      all.push_back(flag(field.name, field.doc));
    else
      all.push_back({.field = field, .placeholder = placeholder_of(field)});
  }
  all.push_back({.field = {.name = "out", .initial = "hardware", .doc = "folder that is written"},
                 .placeholder = "DIR"});
  return all;
}

Result<Circuit> make_circuit(const Settings& settings, const std::string& adders) {
  Tree given = Tree::table();
  for (const Field& field : circuit_fields())
    if (settings.has(field.name)) given.set(field.name, settings.value(field.name));
  if (!adders.empty()) given.set("adders", adders);
  CH_TRY(const Args args, Args::check(circuit_fields(), given, {.path = "circuit"}));
  CH_TRY(const CircuitOptions options,
         circuit_options(args, settings.text_or_empty("target"), settings.integer("num_targets")));
  CH_TRY([[maybe_unused]] const SynthesisTarget* target, find_target(options.part));
  CH_TRY(const ModelSource source, classify(settings.text_or_empty("model")));
  CH_TRY(OpenedModel model, open_for_data(source, settings, ""));
  return hardware::make_circuit(model.name, std::move(model.graph), options);
}

Tree tree_of(const Estimate& made) {
  Tree parts;
  for (const double part : made.parts.list()) parts.push(part);
  return Tree::Table{{"luts", made.luts},       {"registers", made.registers},
                     {"carries", made.carries}, {"dsps", made.dsps},
                     {"latency", made.latency}, {"parts", parts},
                     {"error", error_text()}};
}

namespace {

Tree parallel_tree(const Circuit& circuit) {
  const CellCounts counts = count_cells(circuit.netlist);
  return Tree::Table{{"model", circuit.name},
                     {"interface", circuit.stream ? "stream" : "ports"},
                     {"latency", circuit.netlist.top().latency},
                     {"interval", 1},
                     {"adders", counts.adders},
                     {"adder_bits", counts.adder_bits},
                     {"adder_depth", counts.adder_depth},
                     {"logic_depth", logic_depth(circuit.netlist)},
                     {"tables", counts.tables},
                     {"table_bits", counts.table_bits},
                     {"table_neurons", count_tables(circuit.integers).neurons},
                     {"registers", counts.registers}};
}

Tree folded_tree(const Circuit& circuit) {
  const FoldedCounts counts = count_units(*circuit.stream);
  return Tree::Table{{"model", circuit.name},
                     {"interface", "stream"},
                     {"latency", circuit.stream->latency},
                     {"interval", circuit.stream->interval},
                     {"words_in", std::ssize(circuit.stream->given)},
                     {"words_out", std::ssize(circuit.stream->made)},
                     {"multipliers", counts.multipliers},
                     {"weight_bits", counts.weight_bits},
                     {"line_bits", counts.line_bits},
                     {"window_bits", counts.window_bits},
                     {"queue_bits", counts.fifo_bits}};
}

std::string folded_text(const Circuit& circuit) {
  const FoldedCounts counts = count_units(*circuit.stream);
  return cat(with_commas(counts.multipliers), " multipliers; ", with_commas(counts.weight_bits),
             " bits of weights in ROM, ", with_commas(counts.line_bits), " in line buffers, ",
             with_commas(counts.window_bits), " in windows, ", with_commas(counts.fifo_bits),
             " in queues\nA sample is ", counted(std::ssize(circuit.stream->given), "word"),
             " in and ", with_commas(std::ssize(circuit.stream->made)), " out. Latency ",
             with_commas(circuit.stream->latency), " cycles, a sample every ",
             with_commas(circuit.stream->interval), " cycles.\n");
}

}  // namespace

Tree tree_of(const Circuit& circuit) {
  Tree result = circuit.is_folded() ? folded_tree(circuit) : parallel_tree(circuit);
  if (!circuit.is_folded()) result["estimate"] = tree_of(estimate(circuit.netlist));
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

namespace {

/// Empty where no neuron is one.
std::string tables_text(const Circuit& circuit) {
  const TableCounts counts = count_tables(circuit.integers);
  if (counts.neurons == 0) return "";
  return cat(counted(counts.neurons, "neuron"), counts.neurons == 1 ? " is a table" : " are tables",
             " of up to ", counts.bits, " input bits, all of whose codes were run.\n");
}

}  // namespace

std::string counts_text(const Circuit& circuit) {
  if (circuit.is_folded()) return folded_text(circuit);
  const CellCounts counts = count_cells(circuit.netlist);
  return cat(with_commas(counts.adders), " adders of ", with_commas(counts.adder_bits),
             " bits, at most ", counts.adder_depth, " in a row; ", with_commas(counts.tables),
             " tables of ", with_commas(counts.table_bits), " bits; ",
             with_commas(counts.registers), " register bits\nLatency ",
             circuit.netlist.top().latency, " cycles, a sample every cycle (II 1), at most ",
             logic_depth(circuit.netlist),
             " levels of logic between registers. Matrices are proven equal to their adders.\n",
             tables_text(circuit), estimate_text(estimate(circuit.netlist)));
}

}  // namespace chop::cli
