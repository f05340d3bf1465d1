#include "analysis/cost/average_bits.hpp"

#include <algorithm>
#include <numeric>

namespace chop::analysis {
namespace {

const Operand* weight_of(const Node& node, const std::vector<Operand>& operands) {
  const std::string_view name = node.opcode == Opcode::CallModule ? "weight" : "data_in_1";
  const auto found = std::find_if(operands.begin(), operands.end(),
                                  [name](const Operand& operand) { return operand.name == name; });
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
