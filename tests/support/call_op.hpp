// One op called by itself, on tensors given in the test.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/gradient.hpp"
#include "ops/core/registry.hpp"
#include "runtime/reference.hpp"

namespace chop::test {

/// A tensor of doubles, listed row by row.
inline Tensor reals(Shape shape, std::vector<double> values) {
  return Tensor::of<double>(std::move(shape), std::span<const double>(values));
}
inline Tensor whole(Shape shape, std::vector<std::int64_t> values) {
  return Tensor::of<std::int64_t>(std::move(shape), std::span<const std::int64_t>(values));
}
/// 1, 2, 3 ... in the given shape.
inline Tensor counting(Shape shape) {
  Tensor tensor(DType::F64, std::move(shape));
  double next = 0;
  for (double& value : tensor.mutable_data<double>()) value = ++next;
  return tensor;
}
inline std::vector<double> list(const Tensor& tensor) {
  const auto values = tensor.data<double>();
  return {values.begin(), values.end()};
}

struct Called {
  Graph graph;
  NodeId node;
  NamedTensors operands;  ///< named a, b, c ... in order
};

/// A graph that calls the op on its operands: inputs, then parameters.
inline Called call_graph(std::string_view op, Attrs attrs, const std::vector<Tensor>& operands) {
  Called made{Graph("call"), {}, {}};
  std::vector<Value> values;
  for (const Tensor& operand : operands) {
    const std::string name(1, static_cast<char>('a' + values.size()));
    values.push_back(
        {made.graph.add({.name = name,
                         .opcode = Opcode::Placeholder,
                         .op = "placeholder",
                         .target = name,
                         .attrs = {{"shape", operand.shape()},
                                   {"dtype", std::string(name_of(operand.dtype()))}}})});
    made.operands.emplace(name, operand);
  }
  made.node = made.graph.add({.name = "y",
                              .opcode = Opcode::CallFunction,
                              .op = std::string(op),
                              .target = std::string(op),
                              .inputs = std::move(values),
                              .attrs = std::move(attrs)});
  made.graph.set_outputs({{made.node}});
  return made;
}

/// All results of one call, or the error of its shape rule.
inline Result<std::vector<Tensor>> call_op(std::string_view op, Attrs attrs,
                                           const std::vector<Tensor>& operands) {
  const Called made = call_graph(op, std::move(attrs), operands);
  CH_TRY(Values values, run_reference(made.graph, made.operands));
  return std::move(values[index(made.node)]);
}

/// Gradients of the sum of result 0, by operand: "a" is the first.
inline std::map<std::string, Tensor> gradients_of(std::string_view op, Attrs attrs,
                                                  const std::vector<Tensor>& operands) {
  Called made = call_graph(op, std::move(attrs), operands);
  const Shape shape = infer_types(made.graph, 1).value()[index(made.node)][0].shape;
  const NodeId seed = made.graph.add({.name = "seed",
                                      .opcode = Opcode::Placeholder,
                                      .op = "placeholder",
                                      .target = "seed",
                                      .attrs = {{"shape", shape}, {"dtype", std::string("f64")}}});
  made.graph.set_outputs({{made.node}});
  std::vector<std::string> names;
  for (const auto& [name, tensor] : made.operands)
    if (is_floating(tensor.dtype())) names.push_back(name);
  made.operands.emplace("seed", Tensor::full(shape, 1.0, DType::F64));
  const GradientGraph backward =
      differentiate(made.graph, 1, {made.node}, names, Value{seed}).value();
  const Values values = run_reference(backward.graph, made.operands).value();
  std::map<std::string, Tensor> gradients;
  for (const auto& [name, value] : backward.gradients)
    gradients.emplace(name, values[index(value.node)][value.index]);
  return gradients;
}

/// What a call that must be refused says: its first line and its hint.
inline std::string refusal(std::string_view op, Attrs attrs, const std::vector<Tensor>& operands) {
  const auto result = call_op(op, std::move(attrs), operands);
  if (result) return "accepted";
  return result.error().hint.empty() ? result.error().what
                                     : cat(result.error().what, " | ", result.error().hint);
}

/// "Conv2d(...)": how the module prints itself.
inline std::string repr_of(std::string_view op, Attrs attrs) {
  const OpDef& def = *find_op(op).value();
  const Status checked = check_attrs(def, attrs);
  return checked ? module_repr(def, attrs) : checked.error().what;
}

}  // namespace chop::test
