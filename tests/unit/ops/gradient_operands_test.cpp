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
