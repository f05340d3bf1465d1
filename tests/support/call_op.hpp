// Calls one op by its reference forward on tensors given in the test; operands are named x0, x1 ...
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/gradient.hpp"
#include "ops/core/infer.hpp"
#include "ops/core/registry.hpp"
#include "runtime/reference.hpp"

namespace chop::test {

/// A tensor of doubles, listed row by row.
inline Tensor reals(Shape shape, std::vector<double> values) {
  return Tensor::of<double>(std::move(shape), std::span<const double>(values));
}
inline Tensor reals(std::initializer_list<double> values) {
  return Tensor::of<double>({static_cast<std::int64_t>(values.size())}, values);
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
inline Tensor zeros(Shape shape) {
  return Tensor(DType::F32, std::move(shape));
}
inline std::vector<double> list(const Tensor& tensor) {
  const auto values = tensor.data<double>();
  return {values.begin(), values.end()};
}

/// A graph that calls `op` on placeholders x0, x1, ... of the tensors' types.
inline Graph call_graph(const std::string& op, const std::vector<Tensor>& inputs,
                        const Attrs& attrs) {
  Graph graph("test");
  std::vector<Value> values;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    values.push_back({graph.add({.name = cat("x", i),
                                 .opcode = Opcode::Placeholder,
                                 .op = "placeholder",
                                 .target = cat("x", i),
                                 .attrs = {{"shape", inputs[i].shape()},
                                           {"dtype", std::string(name_of(inputs[i].dtype()))}}})});
  const NodeId call = graph.add({.name = "call",
                                 .opcode = Opcode::CallFunction,
                                 .op = op,
                                 .target = op,
                                 .inputs = values,
                                 .attrs = attrs});
  graph.set_outputs({{call}});
  return graph;
}

inline NamedTensors named(const std::vector<Tensor>& inputs) {
  NamedTensors tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors.emplace(cat("x", i), inputs[i]);
  return tensors;
}

/// All results of the call, by the reference.
inline std::vector<Tensor> call_op(const std::string& op, const std::vector<Tensor>& inputs,
                                   const Attrs& attrs = {}, RunState state = {}) {
  const Graph graph = call_graph(op, inputs, attrs);
  return run_reference(graph, named(inputs), state).value()[index(*graph.find("call"))];
}

inline Shape shape_of(const std::string& op, const std::vector<Tensor>& inputs,
                      const Attrs& attrs = {}) {
  return call_op(op, inputs, attrs)[0].shape();
}

/// Gradients of the sum of result 0 with respect to the operands named.
inline std::map<std::string, Tensor> gradients_of(const std::string& op,
                                                  const std::vector<Tensor>& inputs,
                                                  const Attrs& attrs,
                                                  const std::vector<std::string>& names) {
  Graph graph = call_graph(op, inputs, attrs);
  const Value call{*graph.find("call")};
  const Types types = infer_types(graph, 2).value();
  const NodeId ones = graph.add({.name = "ones",
                                 .opcode = Opcode::CallFunction,
                                 .op = "full",
                                 .target = "full",
                                 .attrs = {{"shape", type_of(types, call).shape}, {"value", 1.0}}});
  graph.set_outputs({call});
  const GradientGraph backward = differentiate(graph, 2, call, names, Value{ones}).value();
  const Values values = run_reference(backward.graph, named(inputs)).value();
  std::map<std::string, Tensor> gradients;
  for (const auto& [name, value] : backward.gradients)
    gradients.emplace(name, values[index(value.node)][value.index]);
  return gradients;
}

/// The gradients of all operands that are floating point.
inline std::map<std::string, Tensor> gradients_of(const std::string& op,
                                                  const std::vector<Tensor>& inputs,
                                                  const Attrs& attrs = {}) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : named(inputs))
    if (is_floating(tensor.dtype())) names.push_back(name);
  return gradients_of(op, inputs, attrs, names);
}

/// The gradient of the first operand.
inline Tensor slope_of(const std::string& op, const std::vector<Tensor>& inputs,
                       const Attrs& attrs = {}) {
  return gradients_of(op, inputs, attrs, {"x0"}).at("x0");
}

/// The error of a call that must not be accepted.
inline Error error_of(const std::string& op, const std::vector<Tensor>& inputs,
                      const Attrs& attrs = {}) {
  Result<Types> types = infer_types(call_graph(op, inputs, attrs), 2);
  return types ? Error{.what = "(accepted)"} : types.error();
}

/// What a call that must be refused says: its first line and its hint.
inline std::string refusal(const std::string& op, const std::vector<Tensor>& inputs,
                           const Attrs& attrs = {}) {
  const Result<Values> values = run_reference(call_graph(op, inputs, attrs), named(inputs));
  if (values) return "accepted";
  const Error& error = values.error();
  return error.hint.empty() ? error.what : cat(error.what, " | ", error.hint);
}

/// "Conv2d(...)": how the module prints itself.
inline std::string repr_of(std::string_view op, Attrs attrs) {
  const OpDef& def = *find_op(op).value();
  const Status checked = check_attrs(def, attrs);
  return checked ? module_repr(def, attrs) : checked.error().what;
}

}  // namespace chop::test
