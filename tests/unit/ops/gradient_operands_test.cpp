// Gradient ops come from files as well as from the compiler: operands that belong to no call are
// refused, and never read past their end.
#include <gtest/gtest.h>

#include "support/samples.hpp"

namespace chop {
namespace {

TEST(GradientOps, OperandsOfOtherShapesAreRefused) {
  for (const test::Case& at : test::all_cases()) {
    if (at.op->mase_type != MaseType::Gradient) continue;
    const Graph graph = test::make(at).graph;
    ASSERT_TRUE(verify(graph)) << at.name();
    for (const NodeId id : graph.placeholders())
      for (const Shape& shape : {Shape{}, Shape{1, 1}, Shape{7, 11}}) {
        Graph changed = graph;
        changed.node(id).attrs["shape"] = shape;
        const Result<Types> types = infer_types(changed, 2);
        if (!types) continue;
        // What fits all the same (a broadcast, a sum) must run.
        NamedTensors inputs;
        for (const NodeId input : changed.placeholders()) {
          const TensorType& type = types.value()[index(input)][0];
          inputs.emplace(changed.node(input).name, Tensor::full(type.shape, 0, type.dtype));
        }
        static_cast<void>(run_reference(changed, inputs));
      }
  }
}

/// Whether inference refuses the first sample of `op` once operand `number` has this shape.
bool refuses(std::string_view op, std::size_t number, const Shape& shape, const Attrs& attrs = {}) {
  OpDef def = *find_op(op).value();
  Sample sample = def.samples.at(0);
  for (const auto& [name, value] : attrs) sample.attrs[name] = value;
  if (sample.inputs.size() <= number) sample.inputs.resize(number + 1, sample.inputs.at(0));
  sample.inputs.at(number).shape = shape;
  def.samples = {sample};
  return !infer_types(test::make({&def, 0}).graph, 2);
}

TEST(GradientOps, WhatBelongsToNoCallIsRefusedByName) {
  EXPECT_TRUE(refuses("linear_grad", 1, {3, 99}));
  EXPECT_TRUE(refuses("linear_grad", 3, {1, 1}, {{"relu", true}}));
  EXPECT_TRUE(refuses("softmax_grad", 1, {1}));
  EXPECT_TRUE(refuses("log_softmax_grad", 1, {1}));
  EXPECT_TRUE(refuses("cross_entropy_grad", 2, {1, 99}));
  EXPECT_TRUE(refuses("unary_grad", 1, {1, 99}));
}

TEST(GradientOps, OnlyOpsWithASlopeHaveAUnaryGradient) {
  Graph graph("g");
  std::vector<Value> inputs;
  for (const char* name : {"dy", "x", "y"})
    inputs.push_back({graph.add({.name = name,
                                 .opcode = Opcode::Placeholder,
                                 .op = "placeholder",
                                 .target = name,
                                 .attrs = {{"shape", Ints{4}}}})});
  const NodeId call = graph.add({.name = "call",
                                 .op = "unary_grad",
                                 .target = "unary_grad",
                                 .inputs = inputs,
                                 .attrs = {{"of", std::string("linear_grad")}}});
  graph.set_outputs({{call}});
  const Status status = verify(graph);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "unary_grad of linear_grad, which has no slope");
}

}  // namespace
}  // namespace chop
