// calculate_avg_bits: bits per value of inputs and weights, averaged over the layers.
//
//   data_avg_bit = Σ bits(data_in_0) · elements(data_in_0) / Σ elements(data_in_0)
//
// and w_avg_bit likewise for weights. The reference system takes for bits the sum of the
// precision list, so that an integer of 8 bits with 4 behind the point counts 12; here it
// counts 8, and 12 under `compat`. What a block of values shares counts in parts.
#include <algorithm>
#include <numeric>

#include "ops/registry.hpp"
#include "passes/cost.hpp"
#include "passes/operands.hpp"
#include "passes/report_parts.hpp"
#include "report/tree_json.hpp"

namespace chop::passes {
namespace {

/// A mean of bits, weighted by elements, in both conventions.
struct Mean {
  double bits = 0;
  double listed = 0;  ///< sum of the precision list
  double elements = 0;

  Status add(const Operand& operand) {
    const auto count = static_cast<double>(numel(operand.type.shape));
    const std::vector<std::int64_t> widths = describe(operand).precision;
    CH_TRY(const OperandBits found, bits_of(operand));
    bits += static_cast<double>(found.total);
    listed +=
        static_cast<double>(std::accumulate(widths.begin(), widths.end(), std::int64_t{0})) * count;
    elements += count;
    return {};
  }
  Tree mean(bool compat) const {
    return elements == 0 ? Tree() : Tree((compat ? listed : bits) / elements);
  }
};

/// The weight a module owns, or the second tensor a function reads.
const Operand* weight_of(const Node& node, const std::vector<Operand>& operands) {
  const std::string_view name = node.opcode == Opcode::CallModule ? "weight" : "data_in_1";
  const auto found = std::find_if(operands.begin(), operands.end(),
                                  [name](const Operand& operand) { return operand.name == name; });
  return found == operands.end() ? nullptr : &*found;
}

/// Bits per value, with its part of what a group of values shares.
Cell bits_cell(const Operand* operand) {
  if (operand == nullptr || numel(operand->type.shape) == 0) return {};
  const Result<OperandBits> bits = bits_of(*operand);
  if (!bits) return {};
  return static_cast<double>(bits.value().total) / static_cast<double>(numel(operand->type.shape));
}

std::string shown(const Tree& mean) {
  return mean.is_null() ? "none" : Cell(*mean.as_real()).text;
}

Result<std::vector<std::string>> wanted_ops(const Args& args) {
  std::vector<std::string> names = args.names("ops");
  for (const std::string& name : names) {
    Result<const OpDef*> op = find_op(name);
    if (!op) return args.wrong("ops", op.error().what, op.error().hint);
  }
  return names;
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(const std::vector<std::string> ops, wanted_ops(args));
  CH_TRY(const Types types, infer_types(graph, context.batch_size));
  Table table{.columns = {{"Node name", Align::Left, 0, "name"},
                          {"Mase op", Align::Left, 0, "mase_op"},
                          {"Data bits", Align::Auto, 0, "data_bits"},
                          {"Weight bits", Align::Auto, 0, "w_bits"}},
              .rows = {}};
  Mean data;
  Mean weights;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (std::find(ops.begin(), ops.end(), node.op) == ops.end()) continue;
    const std::vector<Operand> operands = operands_of(graph, id, types);
    const Operand* weight = weight_of(node, operands);
    CH_CHECK(data.add(operands.front()));
    if (weight != nullptr) CH_CHECK(weights.add(*weight));
    table.rows.push_back({node.name, node.op, bits_cell(&operands.front()), bits_cell(weight)});
  }

  const bool compat = args.flag("compat");
  PassOutput output{.text = render(table, {.style = TableStyle::Simple})};
  output.info.set("data_avg_bit", data.mean(compat));
  output.info.set("w_avg_bit", weights.mean(compat));
  output.info.set("convention", compat ? "sum_of_precision" : "width");
  for (const bool listed : {false, true}) {
    Tree both = Tree::table();
    both.set("data_avg_bit", data.mean(listed));
    both.set("w_avg_bit", weights.mean(listed));
    output.text +=
        cat(listed == compat ? "* " : "  ", listed ? "sum of the precision list" : "width",
            ": data ", shown(data.mean(listed)), ", weights ", shown(weights.mean(listed)), "\n");
    output.info.set(listed ? "sum_of_precision" : "width", std::move(both));
  }
  output.info.set("nodes", tree_of(table));
  return output;
}

}  // namespace

PassDef calculate_avg_bits() {
  return {.name = "calculate_avg_bits",
          .doc = "average the bits of inputs and weights over the layers, by their sizes",
          .details =
              "Both conventions are shown, the one chosen with a star: the width of a value, and\n"
              "the sum of its precision list as the reference system has it (integer [8, 4]: 12).",
          .args = {{.name = "compat",
                    .kind = ArgKind::Flag,
                    .initial = false,
                    .doc = "report the reference system's number as data_avg_bit and w_avg_bit"},
                   {.name = "ops",
                    .kind = ArgKind::Names,
                    .initial = Tree::texts({"linear", "conv1d", "conv2d"}),
                    .doc = "the ops whose operands count"}},
          .run = run};
}

}  // namespace chop::passes
