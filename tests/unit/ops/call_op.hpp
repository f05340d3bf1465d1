// Calls one op on given tensors, the way a test wants to write it.
#pragma once

#include <string>
#include <vector>

#include "compile/gradient.hpp"
#include "ops/core/infer.hpp"
#include "ops/core/registry.hpp"
#include "runtime/reference.hpp"

namespace chop::test {

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

/// dL/dx0 where L is the sum of result 0.
inline Tensor slope_of(const std::string& op, const std::vector<Tensor>& inputs,
                       const Attrs& attrs = {}) {
  Graph graph = call_graph(op, inputs, attrs);
  const Value call{*graph.find("call")};
  const Types types = infer_types(graph, 2).value();
  const NodeId ones = graph.add({.name = "ones",
                                 .opcode = Opcode::CallFunction,
                                 .op = "full",
                                 .target = "full",
                                 .attrs = {{"shape", type_of(types, call).shape}, {"value", 1.0}}});
  graph.set_outputs({call});
  const GradientGraph backward = differentiate(graph, 2, call, {"x0"}, Value{ones}).value();
  const Value gradient = backward.gradients.at("x0");
  return run_reference(backward.graph, named(inputs)).value()[index(gradient.node)][gradient.index];
}

/// The error of a call that must not be accepted.
inline Error error_of(const std::string& op, const std::vector<Tensor>& inputs,
                      const Attrs& attrs = {}) {
  Result<Types> types = infer_types(call_graph(op, inputs, attrs), 2);
  return types ? Error{.what = "(accepted)"} : types.error();
}

inline Shape shape_of(const std::string& op, const std::vector<Tensor>& inputs,
                      const Attrs& attrs = {}) {
  return call_op(op, inputs, attrs)[0].shape();
}

inline Tensor zeros(Shape shape) {
  return Tensor(DType::F32, std::move(shape));
}
inline Tensor reals(std::initializer_list<double> values) {
  return Tensor::of<double>({static_cast<std::int64_t>(values.size())}, values);
}
inline std::vector<double> list(const Tensor& tensor) {
  const auto data = tensor.data<double>();
  return {data.begin(), data.end()};
}

}  // namespace chop::test
