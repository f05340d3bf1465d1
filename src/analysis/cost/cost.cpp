// Counts each node by its op's `cost`, with the bits of its operands' formats, and adds up; a
// parameter that several nodes read counts once.
#include "analysis/cost/cost.hpp"

#include <set>

#include "formats/registry.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::analysis {
namespace {

/// More elements than this in one tensor, and products of counts may leave 64 bits.
constexpr std::int64_t kMostElements = std::int64_t{1} << 36;

Result<std::int64_t> bytes_of(const Operand& operand) {
  CH_TRY(const OperandBits bits, bits_of(operand));
  return (bits.total + 7) / 8;
}

bool is_plain_float(const Operand& operand) {
  return operand.format.is_plain() && is_floating(operand.type.dtype);
}

bool fits(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count) || count > kMostElements) return false;
  return true;
}

Status check_sizes(const Graph& graph, const Types& types, std::int64_t batch) {
  for (const NodeId id : graph.order())
    for (const TensorType& type : types[index(id)])
      if (!fits(type.shape))
        return Error{.what = cat("batch size ", batch, " makes ", graph.node(id).name, " ",
                                 to_string(type.shape), ", too large to be counted"),
                     .hint = "costs grow with the batch; count a smaller one"};
  return {};
}

Status add_buffers(const Graph& graph, NodeId id, const std::vector<Operand>& operands,
                   const std::vector<Operand>& results, NodeCost& cost) {
  for (const Operand& operand : operands) {
    CH_TRY(const std::int64_t bytes, bytes_of(operand));
    if (operand.is_parameter()) {
      cost.parameter_bytes += bytes;
      if (!operand.is_buffer()) cost.parameters += numel(operand.type.shape);
    } else {
      cost.input_buffer += numel(operand.type.shape);
      cost.input_bytes += bytes;
    }
  }
  for (const Operand& result : results) {
    CH_TRY(const std::int64_t bytes, bytes_of(result));
    cost.output_buffer += numel(result.type.shape);
    cost.output_bytes += bytes;
  }
  const Node& node = graph.node(id);
  if (node.opcode != Opcode::GetAttr) return {};
  const Parameter* parameter = graph.find_parameter(node.target);
  cost.is_view = true;
  cost.parameter_bytes = cost.output_bytes;
  if (parameter != nullptr && parameter->trainable) cost.parameters = parameter->value.size();
  return {};
}

/// The shift of an affine norm is part of the norm.
std::int64_t bias_additions(const OpDef& op, const Node& node, std::span<const TensorType> out) {
  for (const ParamDef& param : op.params)
    if (param.role == ParamRole::Bias && is_present(param, {op, node.attrs}))
      return numel(out[0].shape);
  return 0;
}

Result<NodeCost> cost_of(const Graph& graph, NodeId id, const Types& types,
                         const CostOptions& options) {
  const Node& node = graph.node(id);
  const std::vector<Operand> operands = operands_of(graph, id, types);
  const std::vector<Operand> results = results_of(graph, id, types);
  NodeCost cost{.id = id, .name = node.name, .op = node.op};
  const Operand& first = operands.empty() ? results.front() : operands.front();
  cost.precision = precision_text(first);
  cost.is_float = is_plain_float(first);
  CH_TRY(const OperandBits data, bits_of(first));
  CH_TRY(const OperandBits other, bits_of(operands.size() > 1 ? operands[1] : first));
  cost.data_bits = data.value;
  cost.other_bits = other.value;
  CH_CHECK(add_buffers(graph, id, operands, results, cost));
  if (node.opcode == Opcode::GetAttr) return cost;
  std::vector<TensorType> in;
  for (const Operand& operand : operands) in.push_back(operand.type);
  const OpDef& op = op_of(node);
  CH_TRY(cost.arithmetic, arithmetic_of(op, node.name, node.attrs, in, types[index(id)]));
  cost.is_view = has(op.traits, Trait::View) && cost.arithmetic.exact == 0;
  cost.bias = bias_additions(op, node, types[index(id)]);
  if (options.count_bias) cost.arithmetic.lab += cost.bias;
  return cost;
}

void add_node(const NodeCost& node, GraphCost& total) {
  total.arithmetic.macs += node.arithmetic.macs;
  total.arithmetic.lab += node.arithmetic.lab;
  total.arithmetic.exact += node.arithmetic.exact;
  total.arithmetic.backward += node.arithmetic.backward;
  total.lab_flops += node.lab_flops();
  total.exact_flops += node.exact_flops();
  total.lab_bitops += node.lab_bitops();
  total.exact_bitops += node.exact_bitops();
  total.mac_bitops += node.mac_bitops();
  total.input_buffer += node.input_buffer;
  total.output_buffer += node.output_buffer;
  total.activation_bytes += node.activation_bytes();
}

/// Parameters by name, so that a module called twice counts once.
Status add_parameters(const Graph& graph, const Types& types, GraphCost& total) {
  std::set<std::string> seen;
  const auto add = [&](const Operand& operand, const Parameter& parameter) -> Status {
    if (!seen.insert(parameter.name).second) return {};
    CH_TRY(const std::int64_t bytes, bytes_of(operand));
    total.parameter_bytes += bytes;
    if (parameter.trainable) total.parameters += parameter.value.size();
    return {};
  };
  for (const NodeCost& node : total.nodes) {
    for (const Operand& operand : operands_of(graph, node.id, types))
      if (operand.is_parameter()) CH_CHECK(add(operand, *operand.parameter));
    const Node& read = graph.node(node.id);
    if (read.opcode != Opcode::GetAttr) continue;
    if (const Parameter* parameter = graph.find_parameter(read.target))
      CH_CHECK(add(results_of(graph, node.id, types).front(), *parameter));
  }
  return {};
}

double per_byte(std::int64_t operations, std::int64_t bytes) {
  return bytes == 0 ? 0 : static_cast<double>(operations) / static_cast<double>(bytes);
}

}  // namespace

Result<OperandBits> bits_of(const Operand& operand) {
  const std::int64_t count = numel(operand.type.shape);
  if (operand.format.is_plain()) {
    const auto bits = static_cast<std::int64_t>(size_of(operand.type.dtype)) * 8;
    return OperandBits{.value = bits, .total = count * bits};
  }
  CH_TRY(const Bits bits, formats::bits_of(operand.format));
  CH_TRY(const std::int64_t total, total_bits(operand.format, operand.type.shape));
  return OperandBits{.value = bits.value, .total = total};
}

std::string precision_text(const Operand& operand) {
  if (!operand.format.is_plain()) return display(operand.format);
  return cat(is_floating(operand.type.dtype) ? "float" : "int", size_of(operand.type.dtype) * 8);
}

double NodeCost::intensity() const {
  return per_byte(arithmetic.exact, footprint());
}

double GraphCost::intensity() const {
  return per_byte(arithmetic.exact, activation_bytes + parameter_bytes);
}

Result<Cost> arithmetic_of(const OpDef& op, std::string_view node, const Attrs& attrs,
                           std::span<const TensorType> in, std::span<const TensorType> out) {
  if (op.cost == nullptr)
    return Error{.what = cat("no rule says what ", op.name, " costs, which ", node, " calls"),
                 .hint = cat("give the op a `cost` in src/ops/defs/", op.name, ".cpp")};
  return op.cost({{{op, attrs}, in}, out});
}

Result<GraphCost> count_costs(const Graph& graph, const CostOptions& options) {
  CH_TRY(const Types types, infer_types(graph, options.batch));
  CH_CHECK(check_sizes(graph, types, options.batch));
  GraphCost total{.batch = options.batch, .count_bias = options.count_bias};
  std::int64_t largest = 0;
  for (const NodeId id : graph.order()) {
    const Opcode opcode = graph.node(id).opcode;
    if (opcode == Opcode::Placeholder || opcode == Opcode::Output) continue;
    Result<NodeCost> counted = cost_of(graph, id, types, options);
    if (!counted)
      return std::move(counted).error().note(cat("while counting ", graph.node(id).name));
    NodeCost cost = std::move(counted).value();
    add_node(cost, total);
    largest = std::max(largest, cost.activation_bytes());
    total.nodes.push_back(std::move(cost));
  }
  CH_CHECK(add_parameters(graph, types, total));
  total.peak_bytes = total.parameter_bytes + largest;
  return total;
}

}  // namespace chop::analysis
