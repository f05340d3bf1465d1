// Times per layer: which nodes a step of the plan runs, and that nothing is lost.
#include "analysis/timing/layer_times.hpp"

#include <gtest/gtest.h>

#include "models/registry.hpp"
#include "runtime/measure/machine.hpp"

namespace chop {
namespace {

Graph model(const std::string& name) {
  return build_model(name, {}).value();
}

TEST(LayerTimes, NameTogetherWhatRunsAsOneStep) {
  const LayerTimes times = time_layers(model("jsc-tiny"), {.batch = 8, .repeats = 3}).value();
  ASSERT_EQ(times.layers.size(), 2U);
  EXPECT_EQ(times.layers[0].name, "seq_blocks_0 + seq_blocks_1");
  EXPECT_EQ(times.layers[0].op, "batch_norm1d + relu");
  EXPECT_EQ(times.layers[1].name, "seq_blocks_2 + seq_blocks_3");
  EXPECT_EQ(times.layers[1].op, "linear + relu");
  EXPECT_EQ(times.repeats, 3);
  EXPECT_GT(times.run_seconds, 0);
}

TEST(LayerTimes, SharesAddUpToOneAndCountsToTheWhole) {
  for (const char* name : {"jsc-s", "toy", "toy_convnet"}) {
    const Graph graph = model(name);
    const GraphCost cost = count_costs(graph, {.batch = 4}).value();
    const LayerTimes times = time_layers(graph, {.batch = 4, .repeats = 3}).value();
    double share = 0;
    std::int64_t macs = 0;
    std::int64_t operations = 0;
    for (const LayerTime& layer : times.layers) {
      const StepCost step = cost_of_step(layer, cost);
      EXPECT_TRUE(!layer.nodes.empty() || layer.for_node) << layer.name;
      EXPECT_GT(layer.seconds, 0) << layer.name;
      EXPECT_EQ(step.bytes > 0, !layer.nodes.empty()) << layer.name;
      share += layer.share;
      macs += step.macs;
      operations += step.operations;
    }
    EXPECT_NEAR(share, 1, 1e-9);
    EXPECT_EQ(macs, cost.arithmetic.macs) << name;
    EXPECT_EQ(operations, cost.arithmetic.exact) << name;
  }
}

TEST(LayerTimes, OfAStepCountNoBytesBetweenItsNodes) {
  const Graph graph = model("jsc-tiny");
  const GraphCost cost = count_costs(graph, {.batch = 8}).value();
  const LayerTimes times = time_layers(graph, {.batch = 8, .repeats = 1}).value();
  const StepCost step = cost_of_step(times.layers[1], cost);
  EXPECT_EQ(step.bytes, 4 * (8 * 16 + 85 + 8 * 5));
  EXPECT_EQ(step.operations, 8 * 5 * 32 + 8 * 5);
}

TEST(LayerTimes, StepsThatRoundOperandsAreForTheNodeThatReadsThem) {
  Graph graph = model("jsc-tiny");
  const NodeId linear = graph.find("seq_blocks_2").value();
  const NumberFormat format{
      "block_fp",  // which no step before can do as well
      {{"width", std::int64_t{8}}, {"exponent_width", std::int64_t{8}}, {"block_size", Ints{4}}}};
  for (const char* operand : {"data_in_0", "weight", "bias"})
    graph.node(linear).formats[operand] = format;
  const GraphCost cost = count_costs(graph, {.batch = 8}).value();
  const LayerTimes times = time_layers(graph, {.batch = 8, .repeats = 1}).value();
  std::int64_t rounding = 0;
  std::int64_t macs = 0;
  for (const LayerTime& layer : times.layers) {
    macs += cost_of_step(layer, cost).macs;
    if (!layer.nodes.empty()) continue;
    ++rounding;
    EXPECT_EQ(layer.for_node, linear) << layer.name;
  }
  EXPECT_GE(rounding, 1);
  EXPECT_EQ(macs, cost.arithmetic.macs);
}

TEST(LayerTimes, LeaveTheGraphAsItIs) {
  const Graph graph = model("jsc-toy");
  const Graph before = graph;
  ASSERT_TRUE(time_layers(graph, {.batch = 2, .repeats = 2}));
  EXPECT_TRUE(graph == before);
}

TEST(LayerTimes, TakeSamplesOverAndOver) {
  const Split split{.x = Tensor::full({3, 16}, 0.5), .y = Tensor(DType::I64, {3})};
  EXPECT_TRUE(time_layers(model("jsc-tiny"), {.batch = 8, .repeats = 1, .samples = &split}));
}

TEST(Machine, ItsMeasuredSpeedsArePlausible) {
  const MachineSpeed speed = measure_machine(1);
  EXPECT_GT(speed.flops, 1e7);
  EXPECT_GT(speed.bytes, 1e7);
}

/// With PAPI and a machine that allows it they count; anywhere else they say why not.
TEST(HardwareCounters, CountOrSayWhyTheyCannot) {
  Result<HardwareCounters> counters = HardwareCounters::open();
  if (!counters) {
    EXPECT_TRUE(counters.error().what.starts_with("hardware counters: ")) << counters.error().what;
    return;
  }
  if (!counters.value().start()) return;
  const Result<std::vector<CounterValue>> values = counters.value().stop();
  ASSERT_TRUE(values) << to_string(values.error());
  EXPECT_FALSE(values.value().empty());
}

}  // namespace
}  // namespace chop
