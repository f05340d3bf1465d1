#include "hardware/circuit/circuit.hpp"

#include "hardware/integer/op_def.hpp"
#include "hardware/lowering/neuron_tables.hpp"
#include "hardware/stream/fold.hpp"
#include "hardware/stream/units.hpp"
#include "hardware/verilog/projects.hpp"
#include "hardware/verilog/target.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

/// Three ways to place registers, of which one can be asked for.
Status check_registers(const Args& args) {
  std::vector<std::string> given;
  if (args.flag("combinational")) given.emplace_back("--combinational");
  if (args.has("pipeline")) given.emplace_back("--pipeline");
  if (args.has("logic_depth")) given.emplace_back("--logic-depth");
  if (args.has("pipeline") && args.has("reuse")) given.emplace_back("--reuse");
  if (given.size() < 2) return {};
  return Error{.what = cat(join(given, " and "), " cannot be given together"),
               .hint = "each says where registers go; a folded circuit takes --logic-depth"};
}

int number_or_0(const Args& args, std::string_view name) {
  return args.has(name) ? static_cast<int>(args.integer(name)) : 0;
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

/// The scripts of vendors' tools; the part is one of Xilinx or not their business.
std::vector<SourceFile> projects_of(const Circuit& circuit) {
  const bool is_xilinx = lower_case(circuit.part).starts_with("xc");
  ProjectOptions options{.top = circuit.top(), .part = is_xilinx ? circuit.part : ""};
  for (const SourceFile& file : sources_of(circuit)) options.sources.push_back("rtl/" + file.name);
  if (circuit.stream)
    options.clock = "aclk";
  else if (circuit.netlist.top().latency > 0)
    options.clock = "clk";
  return project_files(options);
}

}  // namespace

std::vector<Field> circuit_fields() {
  std::vector<Field> fields = netlist_fields();
  const std::vector<Field> more = {
      {.name = "pipeline",
       .doc = "so many registers from inputs to outputs, placed with as little logic between them "
              "as can be",
       .kind = FieldKind::Integer,
       .bounds = {.least = 1, .most = 1000}},
      {.name = "logic_depth",
       .doc = "registers wherever more adders, comparisons, multiplexers or tables than this would "
              "follow each other",
       .kind = FieldKind::Integer,
       .bounds = {.least = 1, .most = 1000}},
      {.name = "interface",
       .initial = "ports",
       .doc = "ports: one for each number, a sample every cycle; stream: words with valid and "
              "ready, as AXI4-Stream has them",
       .choices = {"ports", "stream"}},
      {.name = "reuse",
       .doc = "fold the circuit: the products of a window in so many cycles, and a token (all "
              "channels of a position) at a time; of single layers LAYER=N,...",
       .kind = FieldKind::Text},
      {.name = "multiply",
       .initial = "dsp",
       .doc = "what the multipliers of a folded circuit are made of",
       .choices = {"dsp", "lut"}},
      {.name = "argmax",
       .initial = false,
       .doc = "one output: the number of the greatest result, the first of equal ones"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

Result<CircuitOptions> circuit_options(const Args& args, std::string part, std::int64_t parts) {
  CH_CHECK(check_registers(args));
  CircuitOptions options{
      .netlist = netlist_options(args.text("adders"), number_or_0(args, "depth"),
                                 args.integer("table_bits"), args.flag("combinational")),
      .reuse = args.text_or_empty("reuse"),
      .multiply_in_luts = args.text("multiply") == "lut",
      .is_stream = args.text("interface") == "stream",
      .is_argmax = args.flag("argmax"),
      .part = std::move(part),
      .parts = parts};
  options.netlist.logic_depth = number_or_0(args, "logic_depth");
  options.netlist.stages = number_or_0(args, "pipeline");
  return options;
}

Result<Circuit> make_circuit(std::string name, Graph graph, const CircuitOptions& options) {
  CH_TRY(const SynthesisTarget* target, find_target(options.part));
  Circuit circuit{.name = std::move(name),
                  .part = options.part,
                  .graph = std::move(graph),
                  .options = options.netlist,
                  .is_argmax = options.is_argmax};
  circuit.options.adders.free_bits = target->free_bits;
  CH_TRY(circuit.definition, to_integer(circuit.graph));
  if (circuit.is_argmax) {
    CH_TRY(circuit.definition, with_argmax(std::move(circuit.definition)));
  }
  if (!options.reuse.empty()) {
    circuit.integers = circuit.definition;
    CH_TRY(FoldOptions folding, parse_reuse(options.reuse));
    folding.netlist = circuit.options;
    folding.multiply_in_luts = options.multiply_in_luts;
    CH_TRY(circuit.stream, fold(circuit.integers, folding));
    return circuit;
  }
  CH_TRY(circuit.integers, with_tables(circuit.definition, circuit.options));
  CH_TRY(circuit.netlist, to_netlist(circuit.integers, circuit.options));
  if (options.is_stream) circuit.stream = to_dataflow(circuit.netlist);
  CH_CHECK(check_fits(circuit, options.parts));
  return circuit;
}

TableCounts count_tables(const IntegerGraph& graph) {
  TableCounts counts;
  for (const IntegerNode& node : graph.nodes) {
    const IntegerOpDef& op = *find_integer_op(node.op);
    if (op.reads == nullptr) continue;
    const IntegerCall call = call_of(graph, node);
    for (std::size_t i = 0; i < node.type.size(); ++i) {
      int bits = 0;
      for (const Wired& read : op.reads(call, i))
        bits += width_of(call.in[read.input]->ranges[read.element]);
      counts.bits = std::max(counts.bits, bits);
    }
    counts.neurons += std::ssize(node.type.ranges);
  }
  return counts;
}

std::vector<SourceFile> sources_of(const Circuit& circuit) {
  return circuit.stream ? to_verilog(*circuit.stream) : to_verilog(circuit.netlist);
}

std::vector<SourceFile> files_of(const Circuit& circuit, const Vectors& vectors) {
  std::vector<SourceFile> files = circuit.stream ? circuit_files(*circuit.stream, vectors)
                                                 : circuit_files(circuit.netlist, vectors);
  for (SourceFile& file : projects_of(circuit)) files.push_back(std::move(file));
  files.push_back({"integer.txt", print(circuit.integers, Lists::Whole)});
  files.push_back(
      {"netlist.txt", print(circuit.is_folded() ? circuit.stream->cores : circuit.netlist)});
  return files;
}

}  // namespace chop::hardware
