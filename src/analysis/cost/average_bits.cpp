#include "analysis/cost/average_bits.hpp"

#include <numeric>

#include "ops/core/registry.hpp"

namespace chop::analysis {
namespace {

/// The first parameter that a module trains, or the second tensor that a function reads.
const Operand* weight_of(const Node& node, const std::vector<Operand>& operands) {
  if (node.opcode != Opcode::CallModule) return operands.size() > 1 ? &operands[1] : nullptr;
  const auto found = std::find_if(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.definition != nullptr && operand.definition->trainable;
  });
  return found == operands.end() ? nullptr : &*found;
}

std::optional<double> bits_per_value(const Operand& operand) {
  const Result<OperandBits> bits = bits_of(operand);
  if (!bits || numel(operand.type.shape) == 0) return {};
  return static_cast<double>(bits.value().total) / static_cast<double>(numel(operand.type.shape));
}

}  // namespace

Status MeanBits::add(const Operand& operand) {
  const auto count = static_cast<double>(numel(operand.type.shape));
  const std::vector<std::int64_t> widths = describe(operand).precision;
  CH_TRY(const OperandBits found, bits_of(operand));
  bits += static_cast<double>(found.total);
  listed +=
      static_cast<double>(std::accumulate(widths.begin(), widths.end(), std::int64_t{0})) * count;
  elements += count;
  return {};
}

std::optional<double> MeanBits::mean(bool as_listed) const {
  if (elements == 0) return {};
  return (as_listed ? listed : bits) / elements;
}

std::vector<std::string> counted_ops() {
  std::vector<const OpDef*> ops;
  for (const OpDef& op : all_ops())
    if (has(op.traits, Trait::CountsBits)) ops.push_back(&op);
  std::stable_sort(ops.begin(), ops.end(),
                   [](const OpDef* a, const OpDef* b) { return a->weight_axis < b->weight_axis; });
  std::vector<std::string> names;
  for (const OpDef* op : ops) names.emplace_back(op->name);
  return names;
}

Result<AverageBits> average_bits(const Graph& graph, const Types& types,
                                 const std::vector<std::string>& ops) {
  AverageBits found;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (std::find(ops.begin(), ops.end(), node.op) == ops.end()) continue;
    const std::vector<Operand> operands = operands_of(graph, id, types);
    const Operand* weight = weight_of(node, operands);
    CH_CHECK(found.data.add(operands.front()));
    LayerBits layer{.id = id, .data = bits_per_value(operands.front())};
    if (weight != nullptr) {
      CH_CHECK(found.weights.add(*weight));
      layer.weight = bits_per_value(*weight);
    }
    found.layers.push_back(layer);
  }
  return found;
}

}  // namespace chop::analysis
