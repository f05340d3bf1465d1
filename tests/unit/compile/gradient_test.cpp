// Differentiation of whole graphs: sums over uses, shared parameters, what is left out.
#include "compile/gradient.hpp"

#include <gtest/gtest.h>

#include "compile/lower.hpp"
#include "ops/core/builder.hpp"
#include "runtime/reference.hpp"

namespace chop {
namespace {

Value placeholder(Graph& graph, const std::string& name, const Shape& shape) {
  return {graph.add({.name = name,
                     .opcode = Opcode::Placeholder,
                     .op = "placeholder",
                     .target = name,
                     .attrs = {{"shape", shape}}})};
}

Value call(Graph& graph, const std::string& op, std::vector<Value> inputs, Attrs attrs = {}) {
  return {graph.add({.name = "",
                     .opcode = Opcode::CallFunction,
                     .op = op,
                     .target = op,
                     .inputs = std::move(inputs),
                     .attrs = std::move(attrs)})};
}

std::vector<double> gradient(const GradientGraph& made, const std::string& name,
                             const NamedTensors& inputs) {
  const Values values = run_reference(made.graph, inputs).value();
  const Value at = made.gradients.at(name);
  const auto data = values[index(at.node)][at.index].data<double>();
  return {data.begin(), data.end()};
}

using Reals = std::vector<double>;
const Tensor kX = Tensor::of<float>({3}, {1, 2, -3});

TEST(Differentiate, SumsTheGradientsOfAValueUsedTwice) {
  Graph graph("twice");
  const Value x = placeholder(graph, "x", {3});
  // L = Σ x·x + Σ x
  const Value square = call(graph, "mul", {x, x});
  const Value loss = call(graph, "sum", {call(graph, "add", {square, x})});
  graph.set_outputs({loss});
  const GradientGraph made = differentiate(graph, 1, loss, {"x"}).value();
  EXPECT_EQ(gradient(made, "x", {{"x", kX}}), (Reals{3, 5, -5}));
  EXPECT_EQ(made.graph.outputs(), std::vector<Value>{loss}) << "outputs stay as they were";
}

TEST(Differentiate, SumsOverThreePathsThroughAnInnerValue) {
  Graph graph("paths");
  const Value x = placeholder(graph, "x", {3});
  const Value y = call(graph, "mul", {x}, {{"other", 2.0}});
  const Value a = call(graph, "add", {y, y});
  const Value b = call(graph, "sub", {a, y});  // b = y = 2x
  const Value loss = call(graph, "sum", {b});
  graph.set_outputs({loss});
  const GradientGraph made = differentiate(graph, 1, loss, {"x"}).value();
  EXPECT_EQ(gradient(made, "x", {{"x", kX}}), (Reals{2, 2, 2}));
}

TEST(Differentiate, SumsTheGradientsOfAParameterTwoModulesShare) {
  GraphBuilder b("shared", 0);
  const Attrs attrs = {{"in_features", 1}, {"out_features", 1}, {"bias", false}};
  const Value x = b.input("x", {-1, 1});
  const Value once = b.module("linear", "fc", {x}, attrs);
  const Value twice = b.module("linear", "fc", {once}, attrs);
  const Value loss = b.function("sum", {twice});
  Graph graph = std::move(b).finish({loss}).value();
  graph.find_parameter("fc.weight")->value = Tensor::of<float>({1, 1}, {3});
  const Graph lowered = lower(graph, Mode::Training).graph;
  const GradientGraph made = differentiate(lowered, 2, lowered.outputs()[0], {"fc.weight"}).value();
  // L = w² Σ x, dL/dw = 2 w Σ x
  EXPECT_EQ(gradient(made, "fc.weight", {{"x", Tensor::of<float>({2, 1}, {5, -1})}}), Reals{24});
}

TEST(Differentiate, SumsOverAParameterReadByTwoNodes) {
  Graph graph("two readers");
  graph.add_parameter({"w", kX});
  const auto read = [&] {
    return Value{
        graph.add({.name = "", .opcode = Opcode::GetAttr, .op = "get_attr", .target = "w"})};
  };
  const Value first = read();
  const Value second = read();
  const Value loss = call(graph, "sum", {call(graph, "mul", {first, second})});
  graph.set_outputs({loss});
  const GradientGraph made = differentiate(graph, 1, loss, {"w"}).value();
  EXPECT_EQ(gradient(made, "w", {}), (Reals{2, 4, -6}));
}

TEST(Differentiate, HasNoGradientForWhatTheLossDoesNotDependOn) {
  Graph graph("apart");
  const Value x = placeholder(graph, "x", {3});
  const Value z = placeholder(graph, "z", {3});
  const Value loss = call(graph, "sum", {x});
  const Value other = call(graph, "sum", {z});
  graph.set_outputs({loss, other});
  const GradientGraph made = differentiate(graph, 1, loss, {"x", "z"}).value();
  EXPECT_TRUE(made.gradients.contains("x"));
  EXPECT_FALSE(made.gradients.contains("z"));
}

TEST(Differentiate, AddsNothingForWhatIsNotAskedFor) {
  Graph graph("unasked");
  const Value x = placeholder(graph, "x", {3});
  const Value loss = call(graph, "sum", {call(graph, "relu", {x})});
  graph.set_outputs({loss});
  const std::size_t before = graph.size();
  const GradientGraph made = differentiate(graph, 1, loss, {}).value();
  EXPECT_TRUE(made.gradients.empty());
  EXPECT_LE(made.graph.size(), before + 1) << "the seed at most";
}

TEST(Differentiate, RefusesALossOfSeveralNumbers) {
  Graph graph("wide");
  const Value x = placeholder(graph, "x", {-1, 3});
  const Value y = call(graph, "relu", {x});
  graph.set_outputs({y});
  const auto made = differentiate(graph, 4, y, {"x"});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "the loss has shape [4, 3], not one number");
}

TEST(Differentiate, TakesALossOfOneElementAndAnyRank) {
  Graph graph("one");
  const Value x = placeholder(graph, "x", {1, 1});
  const Value y = call(graph, "mul", {x, x});
  graph.set_outputs({y});
  const GradientGraph made = differentiate(graph, 1, y, {"x"}).value();
  EXPECT_EQ(gradient(made, "x", {{"x", Tensor::of<float>({1, 1}, {4})}}), Reals{8});
}

TEST(Differentiate, WeighsAValueOfSeveralNumbersByItsSeed) {
  Graph graph("seeded");
  const Value x = placeholder(graph, "x", {3});
  const Value seed = placeholder(graph, "seed", {3});
  const Value y = call(graph, "mul", {x, x});
  graph.set_outputs({y});
  const GradientGraph made = differentiate(graph, 1, y, {"x"}, seed).value();
  const Tensor weights = Tensor::of<float>({3}, {1, 0, 10});
  EXPECT_EQ(gradient(made, "x", {{"x", kX}, {"seed", weights}}), (Reals{2, 0, -60}));
}

TEST(Differentiate, PassesConstantsBy) {
  Graph graph("constants");
  const Value x = placeholder(graph, "x", {3});
  const Value two = call(graph, "full", {}, {{"shape", Ints{3}}, {"value", 2.0}});
  const Value loss = call(graph, "sum", {call(graph, "mul", {x, two})});
  graph.set_outputs({loss});
  const GradientGraph made = differentiate(graph, 1, loss, {"x"}).value();
  EXPECT_EQ(gradient(made, "x", {{"x", kX}}), (Reals{2, 2, 2}));
}

TEST(Differentiate, SaysWhichNodeHasNoGradientRule) {
  Graph graph("rules");
  const Value x = placeholder(graph, "x", {3});
  const Value y = placeholder(graph, "y", {3});
  const Value slope = call(graph, "unary_grad", {x, y, y}, {{"of", std::string("relu")}});
  const Value loss = call(graph, "sum", {slope});
  graph.set_outputs({loss});
  const auto made = differentiate(graph, 1, loss, {"x"});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "unary_grad 'unary_grad' is not differentiable");
  EXPECT_EQ(made.error().hint, "give the op a gradient rule, or keep it out of the loss");
}

TEST(Differentiate, GivesTheSeedWhenTheLossIsTheLeafItself) {
  Graph graph("leaf");
  const Value x = placeholder(graph, "x", {1});
  graph.set_outputs({x});
  const GradientGraph made = differentiate(graph, 1, x, {"x"}).value();
  EXPECT_EQ(gradient(made, "x", {{"x", Tensor::of<float>({1}, {4})}}), Reals{1});
}

}  // namespace
}  // namespace chop
