// What a plan does with memory: views, values placed by the caller, results written over
// operands, buffers that training updates.
#include "compile/compile.hpp"

#include <gtest/gtest.h>

#include "support/planned.hpp"

namespace chop {
namespace {

using test::add_placeholder;
using test::Planned;
using test::Question;

Value call(Graph& graph, std::string op, std::vector<Value> inputs, Attrs attrs = {}) {
  return {graph.add({.name = "",
                     .opcode = Opcode::CallFunction,
                     .op = op,
                     .target = op,
                     .inputs = std::move(inputs),
                     .attrs = std::move(attrs)})};
}

Question ask(Graph graph, NamedTensors inputs, std::vector<Value> wanted) {
  Question question{std::move(graph), std::move(inputs), std::move(wanted), {}, 2};
  for (std::size_t i = 0; i < question.wanted.size(); ++i)
    question.names.push_back(cat("output ", i));
  question.graph.set_outputs(question.wanted);
  return question;
}

Tensor numbers(const Shape& shape, std::string_view purpose = "numbers") {
  return test::draw({.shape = shape}, Stream(3, purpose));
}

TEST(Plan, AViewIsNoStepAndNoMemory) {
  Graph graph;
  const Value x = add_placeholder(graph, "x", {4, 6});
  const Value y = call(graph, "relu", {x});
  const Value flat = call(graph, "reshape", {y}, {{"shape", Ints{24}}});
  const Question question = ask(std::move(graph), {{"x", numbers({4, 6})}}, {flat, y});
  Planned plan(question, 1);
  EXPECT_EQ(plan.plan().step_count(), 1U);
  EXPECT_EQ(plan.plan().output(0).data(), plan.plan().output(1).data());
  test::expect_close(plan.run(), test::run_in_double(question), question.names, 1e-6);
}

TEST(Plan, AnElementwiseResultTakesTheBytesOfAnOperandThatDies) {
  Graph graph;
  const Value x = add_placeholder(graph, "x", {1024});
  Value y = call(graph, "sigmoid", {x});
  const std::size_t two_tensors = 2 * 1024 * sizeof(float);
  for (int i = 0; i < 5; ++i) y = call(graph, i % 2 == 0 ? "tanh" : "relu", {y});
  const Question question = ask(std::move(graph), {{"x", numbers({1024})}}, {y});
  Planned plan(question, 1);
  EXPECT_EQ(plan.plan().memory_bytes(), two_tensors) << "the input, and one for all the rest";
  test::expect_close(plan.run(), test::run_in_double(question), question.names, 1e-5);
}

TEST(Plan, AnInputIsNeverOverwritten) {
  Graph graph;
  const Value x = add_placeholder(graph, "x", {64});
  const Value y = call(graph, "relu", {x});
  Planned plan(ask(std::move(graph), {{"x", numbers({64})}}, {y}), 1);
  plan.run();
  const auto kept = plan.plan().input<float>("x");
  const Tensor given = numbers({64});
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), given.data<float>().begin()));
}

/// Random graphs in which values are read again much later, through views and otherwise.
Question random_graph(std::uint64_t seed) {
  const Stream stream(seed, "graph");
  std::uint64_t n = 0;
  Graph graph;
  std::vector<Value> values = {add_placeholder(graph, "x", {4, 6}),
                               add_placeholder(graph, "y", {4, 6})};
  const auto any = [&] { return values[stream.below(n++, values.size())]; };
  const std::vector<std::string> unary = {"relu", "sigmoid", "tanh", "silu", "softsign"};
  const std::vector<std::string> binary = {"add", "sub", "mul"};
  for (int i = 0; i < 25; ++i) {
    switch (stream.below(n++, 5)) {
      case 0:
      case 1:
        values.push_back(call(graph, unary[stream.below(n++, unary.size())], {any()}));
        break;
      case 2:
        values.push_back(call(graph, binary[stream.below(n++, binary.size())], {any(), any()}));
        break;
      case 3: {
        const Value flat = call(graph, "reshape", {any()}, {{"shape", Ints{24}}});
        const Value bent = call(graph, unary[stream.below(n++, unary.size())], {flat});
        values.push_back(call(graph, "reshape", {bent}, {{"shape", Ints{4, 6}}}));
        break;
      }
      default:
        values.push_back(
            call(graph, "unary_grad", {any(), any(), any()}, {{"of", std::string("sigmoid")}}));
    }
  }
  return ask(std::move(graph), {{"x", numbers({4, 6}, "x")}, {"y", numbers({4, 6}, "y")}},
             {any(), any(), values.back()});
}

TEST(Plan, SharingBytesNeverDestroysAValueStillNeeded) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    const Question question = random_graph(seed);
    test::expect_close(Planned(question, 1).run(), test::run_in_double(question), question.names,
                       1e-4);
  }
}

TEST(Plan, PlacedValuesLandWhereTheCallerSays) {
  Graph graph;
  const Value x = add_placeholder(graph, "x", {4, 6});
  const Value y = call(graph, "relu", {x});
  const Value view = call(graph, "reshape", {y}, {{"shape", Ints{24}}});
  const Value z = call(graph, "tanh", {y});
  graph.set_outputs({z});
  Tensor placed_y(DType::F32, {4, 6});
  Tensor placed_view(DType::F32, {24});
  const compile::Memory memory{
      .placed = {{y, placed_y.mutable_bytes()}, {view, placed_view.mutable_bytes()}}};
  Plan plan = compile_graph(graph, {.batch = 2, .lowered = true}, memory).value().plan;
  const Tensor given = numbers({4, 6});
  std::ranges::copy(given.data<float>(), plan.input<float>("x").begin());
  EXPECT_TRUE(plan.run());
  for (std::size_t i = 0; i < 24; ++i) {
    const float expected = std::max(0.0F, given.data<float>()[i]);
    EXPECT_EQ(placed_y.data<float>()[i], expected);
    EXPECT_EQ(placed_view.data<float>()[i], expected);
    EXPECT_NEAR(plan.output()[i], std::tanh(expected), 1e-6);
  }
}

/// batch_norm1d in training, over parameters of the graph.
Question training_norm() {
  Graph graph;
  const Value x = add_placeholder(graph, "x", {5, 3});
  std::vector<Value> inputs = {x};
  for (const char* name : {"m.weight", "m.bias", "m.running_mean", "m.running_var"}) {
    graph.add_parameter({name, Tensor::full({3}, 1.0), std::string_view(name).find("run") > 5});
    inputs.push_back(
        {graph.add({.name = name, .opcode = Opcode::GetAttr, .op = "get_attr", .target = name})});
  }
  const Value y =
      call(graph, "batch_norm1d", inputs, {{"num_features", std::int64_t{3}}, {"training", true}});
  return ask(std::move(graph), {{"x", numbers({5, 3})}}, {y});
}

TEST(Plan, BuffersAreUpdatedInPlace) {
  const Question question = training_norm();
  Planned plan(question, 1);
  plan.run();
  const Tensor& x = question.inputs.at("x");
  for (std::int64_t c = 0; c < 3; ++c) {
    double mean = 0;
    for (std::int64_t r = 0; r < 5; ++r) mean += x.at(r * 3 + c) / 5;
    EXPECT_NEAR(plan.parameter("m.running_mean").at(c), 0.9 + 0.1 * mean, 1e-6);
  }
  const double once = plan.parameter("m.running_mean").at(0);
  plan.run();
  EXPECT_NE(plan.parameter("m.running_mean").at(0), once) << "each run moves them further";
}

TEST(Plan, BuffersAreUpdatedEvenWhenOnlyAnotherResultIsWanted) {
  Question question = training_norm();
  question.wanted = {{question.wanted[0].node, 1}};
  question.graph.set_outputs(question.wanted);
  Planned plan(question, 1);
  plan.run();
  EXPECT_NE(plan.parameter("m.running_var").at(0), 1.0);
}

TEST(Plan, TimesEveryStepAndComputesTheSame) {
  Graph graph;
  const Value x = add_placeholder(graph, "x", {64});
  const Value y = call(graph, "tanh", {call(graph, "sigmoid", {x})});
  graph.set_outputs({y});
  Plan plan = compile_graph(graph, {.batch = 2, .lowered = true}).value().plan;
  std::ranges::copy(numbers({64}).data<float>(), plan.input<float>("x").begin());
  EXPECT_TRUE(plan.run());
  const std::vector<float> expected(plan.output().begin(), plan.output().end());
  EXPECT_EQ(plan.run_timed().value().size(), plan.describe().size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), plan.output().begin()));
}

TEST(Plan, CallsBackBeforeEveryStepAndComputesTheSame) {
  Graph graph;
  const Value x = add_placeholder(graph, "x", {64});
  const Value y = call(graph, "softmax", {call(graph, "tanh", {x})}, {{"dim", std::int64_t{0}}});
  graph.set_outputs({y});
  Plan plan = compile_graph(graph, {.batch = 2, .lowered = true}).value().plan;
  std::ranges::copy(numbers({64}).data<float>(), plan.input<float>("x").begin());
  EXPECT_TRUE(plan.run());
  const std::vector<float> expected(plan.output().begin(), plan.output().end());
  std::ranges::fill(plan.input<float>("x"), 0.0F);
  EXPECT_TRUE(plan.run());
  std::ranges::copy(numbers({64}).data<float>(), plan.input<float>("x").begin());
  std::vector<std::size_t> steps;
  EXPECT_TRUE(plan.run({}, [&](std::size_t step) { steps.push_back(step); }));
  EXPECT_EQ(steps, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), plan.output().begin()));
}

TEST(Plan, ResultsWithoutElementsListNothingAlongTheirDimensions) {
  const Shape shape{0, std::int64_t{1} << 31};
  Graph graph;
  const Value x = add_placeholder(graph, "x", shape);
  const Value y = call(graph, "tile", {x}, {{"repeats", Ints{2, 2}}});
  const Question question = ask(std::move(graph), {{"x", Tensor(DType::F32, shape)}}, {y});
  const Shape tiled{0, std::int64_t{1} << 32};
  for (const bool reference_only : {false, true})
    EXPECT_EQ(Planned(question, 1, reference_only).run()[0].shape(), tiled);
  EXPECT_EQ(test::run_in_double(question)[0].shape(), tiled);
}

TEST(Plan, WhatNothingNeedsIsLeftOut) {
  Graph graph;
  const Value x = add_placeholder(graph, "x", {4});
  call(graph, "sigmoid", {x});
  const Value y = call(graph, "tanh", {x});
  const Planned plan(ask(std::move(graph), {{"x", numbers({4})}}, {y}), 1);
  EXPECT_EQ(plan.plan().describe(), std::vector<std::string>{"tanh: tanh"});
}

}  // namespace
}  // namespace chop
