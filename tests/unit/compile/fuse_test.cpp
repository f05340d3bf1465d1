#include <gtest/gtest.h>

#include "support/planned.hpp"

namespace chop {
namespace {

/// How many nodes the step takes away.
std::size_t fuse(Graph& graph) {
  compile::State state{.target = {.lowered = true}, .graph = graph};
  EXPECT_TRUE(compile::find_step("fuse").value()->run(state));
  const std::size_t gone = graph.size() - state.graph.size();
  graph = std::move(state.graph);
  return gone;
}

Value call(Graph& graph, std::string op, std::vector<Value> inputs, Attrs attrs = {}) {
  return {graph.add({.name = "",
                     .opcode = Opcode::CallFunction,
                     .op = op,
                     .target = op,
                     .inputs = std::move(inputs),
                     .attrs = std::move(attrs)})};
}

/// relu(linear(x, w)) and their values.
struct Chain {
  Graph graph;
  Value linear, relu;
};

Chain chain() {
  Chain made;
  Graph& graph = made.graph;
  const Value x = test::add_placeholder(graph, "x", {2, 3});
  const Value w = test::add_placeholder(graph, "w", {4, 3});
  made.linear =
      call(graph, "linear", {x, w},
           {{"in_features", std::int64_t{3}}, {"out_features", std::int64_t{4}}, {"bias", false}});
  made.relu = call(graph, "relu", {made.linear});
  return made;
}

TEST(Fuse, AReluBehindALinearGoesIntoIt) {
  Chain made = chain();
  made.graph.set_outputs({made.relu});
  EXPECT_EQ(fuse(made.graph), 1U);
  const Node& fused = made.graph.node(made.relu.node);
  EXPECT_EQ(fused.op, "linear");
  EXPECT_TRUE(std::get<bool>(fused.attrs.at("relu")));
  EXPECT_TRUE(verify(made.graph));
}

TEST(Fuse, AValueWithAnotherReaderStays) {
  Chain made = chain();
  const Value also = call(made.graph, "tanh", {made.linear});
  made.graph.set_outputs({made.relu, also});
  EXPECT_EQ(fuse(made.graph), 0U);
}

TEST(Fuse, AnOutputStays) {
  Chain made = chain();
  made.graph.set_outputs({made.linear, made.relu});
  EXPECT_EQ(fuse(made.graph), 0U);
}

TEST(Fuse, TheGradientOfAReluGoesIntoTheGradientBehindIt) {
  Chain made = chain();
  const Value seed = test::add_placeholder(made.graph, "seed", {2, 4});
  made.graph.set_outputs({made.relu});
  GradientGraph backward = differentiate(made.graph, 2, made.relu, {"x", "w"}, seed).value();
  Graph& graph = backward.graph;
  const Value dx = backward.gradients.at("x");
  const Value dw = backward.gradients.at("w");
  graph.set_outputs({dx, dw});
  graph.drop_unused();
  EXPECT_EQ(fuse(graph), 2U);
  EXPECT_EQ(graph.node(dx.node).inputs.size(), 4U);
  EXPECT_EQ(graph.node(dx.node).inputs[3], made.relu);
  EXPECT_TRUE(verify(graph));
}

}  // namespace
}  // namespace chop
