// The graph builder: names as torch.fx gives them, shared modules, errors that stick.
#include "ops/core/builder.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace chop {
namespace {

Attrs linear(std::int64_t in, std::int64_t out) {
  return {{"in_features", in}, {"out_features", out}};
}

TEST(GraphBuilder, MakesModuleNodesWithTheirParameters) {
  GraphBuilder b("net", 0);
  Value x = b.input("x", {-1, 16});
  x = b.module("linear", "seq_blocks.0", {x}, linear(16, 5));
  x = b.module("relu", "seq_blocks.1", {x}, {{"inplace", true}});
  EXPECT_EQ(b.shape(x), (Shape{2, 5}));
  EXPECT_EQ(b.dim(x, 1), 5);
  const Result<Graph> graph = std::move(b).finish({x});
  ASSERT_TRUE(graph) << to_string(graph.error());
  const Graph& g = graph.value();
  EXPECT_EQ(g.name(), "net");
  EXPECT_EQ(g.parameter_count(), 85);
  ASSERT_TRUE(g.find("seq_blocks_0"));
  const Node& node = g.node(*g.find("seq_blocks_0"));
  EXPECT_EQ(node.opcode, Opcode::CallModule);
  EXPECT_EQ(node.target, "seq_blocks.0");
  EXPECT_NE(g.find_parameter("seq_blocks.0.weight"), nullptr);
  EXPECT_NE(g.find_parameter("seq_blocks.0.bias"), nullptr);
  EXPECT_EQ(g.outputs(), (std::vector<Value>{x}));
}

TEST(GraphBuilder, NamesFunctionNodesAsTorchFxDoes) {
  GraphBuilder b("net", 0);
  Value x = b.input("x", {-1, 4});
  x = b.function("relu", {x});
  const Value second = b.function("relu", {x});
  const Value named = b.function("relu", {second}, {}, "tail");
  const Graph g = std::move(b).finish({named}).value();
  EXPECT_EQ(g.node(x.node).name, "relu");
  EXPECT_EQ(g.node(x.node).target, "torch.nn.functional.relu");
  EXPECT_EQ(g.node(x.node).opcode, Opcode::CallFunction);
  EXPECT_EQ(g.node(second.node).name, "relu_1");
  EXPECT_EQ(g.node(named.node).name, "tail");
}

TEST(GraphBuilder, MakesMethodNodes) {
  GraphBuilder b("net", 0);
  const Value y = b.method("relu", {b.input("x", {-1, 4})});
  const Graph g = std::move(b).finish({y}).value();
  EXPECT_EQ(g.node(y.node).opcode, Opcode::CallMethod);
  EXPECT_EQ(g.node(y.node).target, "relu");
}

TEST(GraphBuilder, SharesTheParametersOfATargetUsedTwice) {
  GraphBuilder b("net", 0);
  Value x = b.input("x", {-1, 4});
  x = b.module("linear", "fc", {x}, linear(4, 4));
  const Value y = b.module("linear", "fc", {x}, linear(4, 4));
  const Graph g = std::move(b).finish({y}).value();
  EXPECT_EQ(g.parameter_count(), 20);
  EXPECT_EQ(g.node(x.node).name, "fc");
  EXPECT_EQ(g.node(y.node).name, "fc_1");
  EXPECT_EQ(g.node(y.node).target, "fc");
}

TEST(GraphBuilder, RefusesATargetUsedInTwoWays) {
  GraphBuilder b("net", 0);
  Value x = b.input("x", {-1, 4});
  x = b.module("linear", "fc", {x}, linear(4, 4));
  x = b.module("linear", "fc", {x}, linear(4, 5));
  const Result<Graph> graph = std::move(b).finish({x});
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().what,
            "module 'fc' is already a Linear(in_features=4, out_features=4, bias=True), not a "
            "Linear(in_features=4, out_features=5, bias=True)");
}

TEST(GraphBuilder, KeepsTheFirstErrorWithTheNameOfItsLayer) {
  GraphBuilder b("net", 0);
  Value x = b.input("x", {-1, 16});
  x = b.module("linear", "first", {x}, linear(17, 5));
  EXPECT_TRUE(b.failed());
  EXPECT_EQ(b.shape(x), Shape{});
  EXPECT_EQ(b.dim(x, 1), 1);
  x = b.module("no_such_op", "second", {x});
  const Result<Graph> graph = std::move(b).finish({x});
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().what, "linear with in_features=17 cannot take [2, 16]");
  EXPECT_EQ(graph.error().notes.back(), "in layer 'first'");
}

TEST(GraphBuilder, ChecksAttributes) {
  GraphBuilder b("net", 0);
  const Value x = b.input("x", {-1, 16});
  b.module("linear", "fc", {x}, {{"in_features", 16}, {"out_feature", 5}});
  const Result<Graph> graph = std::move(b).finish({x});
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().what, "linear has no attribute 'out_feature'");
  EXPECT_EQ(graph.error().hint,
            "did you mean 'out_features'? linear takes in_features, out_features, bias, fan_in");
}

TEST(GraphBuilder, RefusesSizesNoMachineHolds) {
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-3}, std::int64_t{1} << 40,
                                  std::numeric_limits<std::int64_t>::max()}) {
    GraphBuilder b("net", 0);
    const Value x = b.input("x", {-1, 16});
    const Value y = b.module("linear", "fc", {x}, linear(16, size));
    const Result<Graph> graph = std::move(b).finish({y});
    ASSERT_FALSE(graph) << size;
    EXPECT_EQ(graph.error().what,
              cat("parameter 'fc.weight' would have the shape [", size, ", 16]"));
  }
}

TEST(GraphBuilder, RefusesInputsNoMachineHolds) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 31;
  for (const Shape& shape : {Shape{-1, 0}, Shape{-1, -2}, Shape{-1, kLarge, kLarge, kLarge}}) {
    GraphBuilder b("net", 0);
    const Value x = b.input("x", shape);
    const Result<Graph> graph = std::move(b).finish({x});
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().what, cat("input 'x' has the shape ", to_string(shape)));
  }
}

TEST(GraphBuilder, RefusesValuesOfAnotherBuilder) {
  GraphBuilder other("other", 0);
  other.input("a", {-1, 4});
  const Value foreign = other.input("b", {-1, 4});
  GraphBuilder b("net", 0);
  b.input("x", {-1, 4});
  const Value y = b.function("relu", {foreign});
  EXPECT_FALSE(std::move(b).finish({y}));
  GraphBuilder empty("net", 0);
  EXPECT_FALSE(std::move(empty).finish({}));
}

TEST(GraphBuilder, KeepsTheCallersOwnErrors) {
  GraphBuilder b("net", 0);
  const Value x = b.input("x", {-1, 4});
  b.fail({.what = "the picture is too small"});
  b.fail({.what = "something later"});
  EXPECT_EQ(std::move(b).finish({x}).error().what, "the picture is too small");
}

TEST(GraphBuilder, RemembersTheDTypeOfItsInputs) {
  GraphBuilder b("net", 0);
  const Value x = b.input("tokens", {-1, 4}, DType::I64);
  const Graph g = std::move(b).finish({x}).value();
  EXPECT_EQ(type_of(infer_types(g, 3).value(), x), (TensorType{DType::I64, {3, 4}}));
}

}  // namespace
}  // namespace chop
