#include "cli/circuits/circuit.hpp"

#include "cli/session.hpp"
#include "hardware/stream/fold.hpp"
#include "hardware/stream/units.hpp"
#include "hardware/verilog/target.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

NetlistOptions options_of(const Settings& settings, const std::string& adders) {
  NetlistOptions options =
      netlist_options(adders.empty() ? settings.text_or_empty("adders") : adders,
                      settings.maybe_integer("depth").value_or(0), settings.flag("combinational"));
  options.logic_depth = static_cast<int>(settings.maybe_integer("logic_depth").value_or(0));
  options.stages = static_cast<int>(settings.maybe_integer("pipeline").value_or(0));
  return options;
}

/// Three ways to place registers, of which one can be asked for.
Status check_registers(const Settings& settings) {
  std::vector<std::string> given;
  if (settings.flag("combinational")) given.emplace_back("--combinational");
  if (settings.has("pipeline")) given.emplace_back("--pipeline");
  if (settings.has("logic_depth")) given.emplace_back("--logic-depth");
  if (settings.has("pipeline") && settings.has("reuse")) given.emplace_back("--reuse");
  if (given.size() < 2) return {};
  return Error{.what = cat(join(given, " and "), " cannot be given together"),
               .hint = "each says where registers go; a folded circuit takes --logic-depth"};
}

/// Whether so many parts have the LUTs that the estimate asks for.
Status check_fits(const Circuit& circuit, std::int64_t parts) {
  const auto luts = luts_of_part(circuit.part);
  if (!luts || circuit.is_folded()) return {};
  const std::int64_t needed = estimate(circuit.netlist).luts;
  if (needed <= *luts * parts) return {};
  return Error{
      .what = cat("the circuit needs about ", with_commas(needed), " LUTs, and ",
                  with_commas(parts), " of ", circuit.part, " have ", with_commas(*luts * parts)),
      .hint = "fold it with --reuse, name a larger --target, or allow more --num-targets"};
}

}  // namespace

std::vector<std::string_view> circuit_uses(std::vector<std::string_view> more) {
  more.insert(more.end(), {"target", "num_targets"});
  return more;
}

std::vector<SettingDef> circuit_settings() {
  std::vector<SettingDef> all;
  for (const Field& field : netlist_fields()) {
    const FieldKind kind = kind_of(field);
    all.push_back({.field = field,
                   .placeholder = kind == FieldKind::Text      ? "HOW"
                                  : kind == FieldKind::Integer ? "N"
                                                               : ""});
  }
  const std::vector<SettingDef> more = {
      {.field = {.name = "pipeline",
                 .doc = "so many registers from inputs to outputs, placed with as little logic "
                        "between them as can be",
                 .kind = FieldKind::Integer,
                 .bounds = {.least = 1, .most = 1000}},
       .placeholder = "STAGES"},
      {.field = {.name = "logic_depth",
                 .doc = "registers wherever more adders, comparisons, multiplexers or tables than "
                        "this would be one behind the other",
                 .kind = FieldKind::Integer,
                 .bounds = {.least = 1, .most = 1000}},
       .placeholder = "N"},
      {.field = {.name = "interface",
                 .initial = "ports",
                 .doc =
                     "ports: one for each number, a sample every cycle; stream: words with valid "
                     "and ready, as AXI4-Stream has them",
                 .choices = {"ports", "stream"}},
       .placeholder = "KIND"},
      {.field = {.name = "reuse",
                 .doc = "fold the circuit: the products of a window in so many cycles, and a token "
                        "(all channels of a position) at a time; of single layers LAYER=N,...",
                 .kind = FieldKind::Text},
       .placeholder = "N"},
      {.field = {.name = "multiply",
                 .initial = "dsp",
                 .doc = "what the multipliers of a folded circuit are made of",
                 .choices = {"dsp", "lut"}},
       .placeholder = "KIND"},
      flag("argmax", "one output: the number of the greatest result, the first of equal ones"),
      {.field = {.name = "out", .initial = "hardware", .doc = "folder that is written"},
       .placeholder = "DIR"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Result<Circuit> make_circuit(const Settings& settings, const std::string& adders) {
  CH_CHECK(check_registers(settings));
  const std::string part = settings.text_or_empty("target");
  CH_TRY([[maybe_unused]] const SynthesisTarget* target, find_target(part));
  CH_TRY(const ModelSource source, classify(settings.text_or_empty("model")));
  CH_TRY(OpenedModel model, open_for_data(source, settings, ""));
  Circuit circuit{.name = model.name, .part = part, .graph = std::move(model.graph)};
  CH_TRY(circuit.integers, to_integer(circuit.graph));
  circuit.is_argmax = settings.flag("argmax");
  if (circuit.is_argmax) {
    CH_TRY(circuit.integers, with_argmax(std::move(circuit.integers)));
  }
  circuit.options = options_of(settings, adders);
  if (const std::string reuse = settings.text_or_empty("reuse"); !reuse.empty()) {
    CH_TRY(FoldOptions folding, parse_reuse(reuse));
    folding.netlist = circuit.options;
    folding.multiply_in_luts = settings.text_or_empty("multiply") == "lut";
    CH_TRY(circuit.stream, fold(circuit.integers, folding));
    return circuit;
  }
  CH_TRY(circuit.netlist, to_netlist(circuit.integers, circuit.options));
  if (settings.text_or_empty("interface") == "stream")
    circuit.stream = to_dataflow(circuit.netlist);
  CH_CHECK(check_fits(circuit, settings.integer("num_targets")));
  return circuit;
}

Tree tree_of(const Estimate& made) {
  Tree parts;
  for (const double part : made.parts.list()) parts.push(part);
  return Tree::Table{{"luts", made.luts},       {"registers", made.registers},
                     {"carries", made.carries}, {"dsps", made.dsps},
                     {"latency", made.latency}, {"parts", parts},
                     {"error", error_text()}};
}

std::vector<SourceFile> sources_of(const Circuit& circuit) {
  return circuit.stream ? to_verilog(*circuit.stream) : to_verilog(circuit.netlist);
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

std::string counts_text(const Circuit& circuit) {
  if (circuit.is_folded()) return folded_text(circuit);
  const CellCounts counts = count_cells(circuit.netlist);
  return cat(with_commas(counts.adders), " adders of ", with_commas(counts.adder_bits),
             " bits, at most ", counts.adder_depth, " one behind the other; ",
             with_commas(counts.tables), " tables of ", with_commas(counts.table_bits), " bits; ",
             with_commas(counts.registers), " register bits\nLatency ",
             circuit.netlist.top().latency, " cycles, a sample every cycle (II 1), at most ",
             logic_depth(circuit.netlist),
             " levels of logic between registers. Matrices are proven equal to their adders.\n",
             estimate_text(estimate(circuit.netlist)));
}

}  // namespace chop::cli
