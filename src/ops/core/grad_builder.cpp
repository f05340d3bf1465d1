#include "ops/core/grad_builder.hpp"

#include "ops/core/registry.hpp"

namespace chop::ops {

GradBuilder::GradBuilder(Graph& graph, Types& types, NodeId node,
                         std::vector<std::optional<Value>> output_grads)
    : graph_(graph),
      types_(types),
      node_(node),
      attrs_(graph.node(node).attrs),
      inputs_(graph.node(node).inputs),
      output_grads_(std::move(output_grads)),
      gradients_(inputs_.size()),
      call_{op_of(graph.node(node)), attrs_} {}

std::int64_t GradBuilder::find(std::string_view param) const {
  std::vector<TensorType> in(inputs_.size());
  return TypedCall{call_, in}.find(param);
}

Value GradBuilder::add(std::string_view op, std::vector<Value> inputs, Attrs attrs,
                       std::uint32_t number) {
  const NodeId id = graph_.add({.name = graph_.node(node_).name + "_" + std::string(op),
                                .opcode = Opcode::CallFunction,
                                .op = std::string(op),
                                .target = std::string(op),
                                .inputs = std::move(inputs),
                                .attrs = std::move(attrs)});
  types_.resize(graph_.id_limit());
  Result<std::vector<TensorType>> out = infer_node(graph_, id, types_);
  assert(out && "a gradient rule built a node with impossible shapes");
  types_[index(id)] = std::move(out).value();
  return {id, number};
}

Value GradBuilder::sum_to(Value value, const Shape& shape) {
  if (this->shape(value) == shape) return value;
  return add("sum_to", {value}, {{"shape", shape}});
}

}  // namespace chop::ops
