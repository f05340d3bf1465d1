// What everything behind to_integer may rely on.
#include "hardware/integer/op_def.hpp"

namespace chop::hardware {
namespace {

Error fault_of(const IntegerNode& node, std::string what) {
  return {.what = cat("integer node '", node.name, "' (", node.op, "): ", what)};
}

Status verify_ranges(const IntegerNode& node, const std::vector<Interval>& proven) {
  if (proven.size() != node.type.size())
    return fault_of(node, cat(proven.size(), " ranges for ", node.type.size(), " elements"));
  for (std::size_t i = 0; i < proven.size(); ++i) {
    const Interval& range = node.type.ranges[i];
    if (!range.is_bounded()) return fault_of(node, cat("element ", i, " needs more than 61 bits"));
    if (!range.holds(proven[i]))
      return fault_of(
          node, cat("element ", i, " is in ", to_text(proven[i]), ", not in ", to_text(range)));
  }
  return {};
}

Status verify_node(const IntegerGraph& graph, std::size_t index) {
  const IntegerNode& node = graph.nodes[index];
  const IntegerOpDef* op = find_integer_op(node.op);
  if (op == nullptr) return fault_of(node, "unknown op");
  for (const std::size_t input : node.inputs)
    if (input >= index) return fault_of(node, "reads a node that comes after it");
  if (node.inputs.size() < op->least_inputs ||
      node.inputs.size() > std::max(op->least_inputs, op->most_inputs))
    return fault_of(node, cat(node.inputs.size(), " inputs"));
  if (static_cast<std::size_t>(numel(node.type.shape)) != node.type.size())
    return fault_of(node, cat("the shape ", to_string(node.type.shape), " for ", node.type.size(),
                              " elements"));
  for (const std::string_view attr : op->attrs)
    if (!node.has(std::string(attr))) return fault_of(node, cat("no attribute '", attr, "'"));
  const IntegerCall call = call_of(graph, node);
  if (Status status = check(*op, call); !status) return fault_of(node, status.error().what);
  return verify_ranges(node, op->ranges == nullptr ? node.type.ranges : op->ranges(call));
}

}  // namespace

Status verify(const IntegerGraph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) CH_CHECK(verify_node(graph, i));
  for (const IntegerInput& input : graph.inputs)
    if (input.node >= graph.nodes.size()) return Error{.what = "an input that does not exist"};
  for (const std::size_t output : graph.outputs)
    if (output >= graph.nodes.size()) return Error{.what = "an output that does not exist"};
  return {};
}

}  // namespace chop::hardware
