// The pipeline as a whole: what its parts tell each other, and what happens when a chain is
// refused.
#include "compile/compile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/core/builder.hpp"
#include "ops/core/registry.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

NumberFormat eight_bits() {
  return {"integer", {{"width", std::int64_t{8}}, {"frac_width", std::int64_t{4}}}};
}

/// Two convolutions with a relu behind each.
Graph two_convolutions() {
  GraphBuilder b("net", 1);
  Value x = b.input("x", {-1, 4, 8, 8});
  for (const char* name : {"conv1", "conv2"}) {
    x = b.module("conv2d", name, {x},
                 {{"in_channels", std::int64_t{4}},
                  {"out_channels", std::int64_t{4}},
                  {"kernel_size", Ints{3}},
                  {"padding", Ints{1}}});
    x = b.module("relu", std::string(name) + "_relu", {x});
  }
  return std::move(b).finish({x}).value();
}

std::vector<float> run(Plan& plan) {
  const Stream noise(1, "x");
  const std::span<float> x = plan.input("x");
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(noise.normal(i));
  EXPECT_TRUE(plan.run());
  return {plan.output().begin(), plan.output().end()};
}

TEST(Lower, TellsWhatBecameOfEveryValue) {
  GraphBuilder b("net", 1);
  const Value x = b.input("x", {-1, 3});
  const Value y = b.module("tanh", "act", {x});
  Graph graph = std::move(b).finish({y}).value();
  graph.node(y.node).formats = {{"data_out_0", eight_bits()}};
  const Lowered lowered = lower(graph, Mode::Evaluation);
  EXPECT_EQ(lowered.graph.node(lowered.made(y).node).name, "act");
  EXPECT_EQ(lowered.graph.node(lowered.read(y).node).op, "quantize");
  EXPECT_EQ(lowered.read(x), lowered.made(x));
}

TEST(Compile, ValuesThatTakeMoreMemoryThanThereIsAreAnError) {
  GraphBuilder b("net", 1);
  const Value x = b.input("x", {-1, 16});
  const Graph graph = std::move(b).finish({b.module("tanh", "act", {x})}).value();
  for (const bool frozen : {false, true}) {
    const auto compiled = compile_graph(graph, {.batch = std::int64_t{1} << 36, .frozen = frozen});
    ASSERT_FALSE(compiled);
    EXPECT_NE(compiled.error().what.find("8.0 TiB for a batch of 68,719,476,736, and there are"),
              std::string::npos)
        << compiled.error().what;
    EXPECT_EQ(compiled.error().notes,
              std::vector<std::string>{"the largest is 'x', f32[68719476736, 16]"});
  }
}

TEST(Compile, StepsFollowOneAnother) {
  std::string_view last;
  for (const compile::StepDef& step : compile::all_steps()) {
    EXPECT_EQ(step.after, last);
    EXPECT_FALSE(step.doc.empty()) << step.name;
    last = step.name;
  }
  EXPECT_EQ(last, "plan");
}

TEST(Compile, TracesEveryStepAndWhetherItApplied) {
  compile::Trace trace;
  ASSERT_TRUE(compile_graph(two_convolutions(), {.batch = 2}, {}, &trace));
  ASSERT_EQ(trace.steps.size(), compile::all_steps().size());
  for (const compile::StepTrace& step : trace.steps)
    EXPECT_EQ(step.applied, step.name == "lower" || step.name == "prune" || step.name == "fuse" ||
                                step.name == "plan")
        << step.name;
}

TEST(Compile, StopsAfterTheStepThatIsAskedFor) {
  const compile::StepDef* lower = compile::find_step("lower").value();
  const compile::State state = compile_until(two_convolutions(), {}, *lower).value();
  EXPECT_FALSE(state.plan);
  EXPECT_FALSE(state.types);
}

TEST(Compile, GivesObservedValuesAsTheyWereMadeOrAsTheyAreRead) {
  GraphBuilder b("net", 1);
  const Value x = b.input("x", {-1, 3});
  const Value y = b.module("tanh", "act", {x});
  Graph graph = std::move(b).finish({y}).value();
  graph.node(y.node).formats = {{"data_out_0", eight_bits()}};
  for (const bool through_formats : {false, true}) {
    Compiled compiled = compile_graph(graph, {.batch = 2,
                                              .observed = std::vector<Value>{y},
                                              .through_formats = through_formats})
                            .value();
    bool on_grid = true;
    for (const float v : run(compiled.plan)) on_grid = on_grid && v * 16 == std::nearbyint(v * 16);
    EXPECT_EQ(on_grid, through_formats);
  }
}

TEST(Compile, StepsOfAPlanNameTheCallsTheyRun) {
  const Graph graph = two_convolutions();
  const Compiled compiled = compile_graph(graph, {.batch = 2, .frozen = true}).value();
  std::vector<std::string> names;
  for (const StepInfo& step : compiled.plan.steps())
    for (const NodeId id : step.nodes) names.push_back(compiled.lowered.graph.node(id).name);
  EXPECT_EQ(names, (std::vector<std::string>{"conv1", "conv1_relu", "conv2", "conv2_relu"}));
}

TEST(Compile, ARefusedChainCostsThatChainAlone) {
  const Graph graph = two_convolutions();
  Compiled all = compile_graph(graph, {.batch = 2, .frozen = true}).value();
  EXPECT_TRUE(all.remarks.empty());
  Compiled some = compile_graph(graph, {.batch = 2, .frozen = true, .refuse = {"conv1"}}).value();
  std::vector<std::string> chained;
  for (const StepInfo& step : some.plan.steps())
    if (!step.epilogue.empty()) chained.push_back(step.name);
  EXPECT_EQ(chained, std::vector<std::string>{"conv2_relu"});
  ASSERT_EQ(some.remarks.size(), 1U);
  EXPECT_EQ(some.remarks[0].text,
            "no backend makes the chain of 'conv1' + 'conv1_relu': its calls run one by one");
  const std::vector<float> expected = run(all.plan);
  const std::vector<float> got = run(some.plan);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-4);
}

TEST(Compile, ARefusedChainOnBytesKeepsItsOperandInFloat) {
  Graph graph = two_convolutions();
  for (const char* name : {"conv1", "conv2"})
    graph.node(*graph.find(name)).formats = {
        {"data_in_0", eight_bits()}, {"weight", eight_bits()}, {"bias", eight_bits()}};
  Compiled all = compile_graph(graph, {.batch = 2, .frozen = true}).value();
  Compiled some = compile_graph(graph, {.batch = 2, .frozen = true, .refuse = {"conv2"}}).value();
  EXPECT_EQ(some.remarks.size(), 1U);
  EXPECT_EQ(run(some.plan), run(all.plan)) << "sums of bytes are exact in float as well here";
}

TEST(Compile, WithoutMemoryATrainingPlanMovesBuffersOfItsOwn) {
  GraphBuilder b("net", 1);
  Value x = b.input("x", {-1, 3});
  x = b.module("batch_norm1d", "bn", {x}, {{"num_features", std::int64_t{3}}});
  const Graph graph = std::move(b).finish({x}).value();
  Compiled compiled = compile_graph(graph, {.mode = Mode::Training, .batch = 4}).value();
  run(compiled.plan);
  EXPECT_EQ(graph.find_parameter("bn.running_var")->value, Tensor::full({3}, 1.0));
}

/// The attributes that the compiler sets belong to ops that say so.
TEST(OpTraits, ThatNameAnAttributeComeWithIt) {
  for (const OpDef& op : all_ops()) {
    const auto declares = [&](std::string_view name, bool internal) {
      return std::any_of(op.attrs.begin(), op.attrs.end(), [&](const Field& def) {
        return def.name == name && (!internal || def.internal);
      });
    };
    EXPECT_EQ(has(op.traits, Trait::TakesRelu), declares(kReluAttr, false)) << op.name;
    EXPECT_EQ(has(op.traits, Trait::TrainingMode), declares(kTrainingAttr, true)) << op.name;
  }
}

}  // namespace
}  // namespace chop
