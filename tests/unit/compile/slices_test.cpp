// Plans that run a batch slice by slice: the bits of a plan for the slice alone, in less memory.
#include <gtest/gtest.h>

#include <cstring>

#include "models/registry.hpp"
#include "ops/core/builder.hpp"
#include "support/evaluation_plan.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

Plan compile(const Graph& graph, std::int64_t batch, int threads = 1, bool frozen = true) {
  return test::evaluation_plan(graph, batch, frozen, threads);
}

/// Rows from `first` on, the same whatever the batch they are part of.
void fill(const Graph& graph, const Plan& plan, std::int64_t first, std::int64_t batch) {
  for (const NodeId id : graph.placeholders()) {
    const std::string& name = graph.node(id).name;
    const std::span<float> memory = plan.input(name);
    const std::size_t start = memory.size() / static_cast<std::size_t>(batch) * first;
    const Stream noise(7, name);
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<float>(noise.normal(start + i));
  }
}

using Outputs = std::vector<std::vector<float>>;

Outputs outputs_of(const Plan& plan) {
  Outputs outputs;
  for (std::size_t i = 0; i < plan.output_count(); ++i)
    outputs.emplace_back(plan.output(i).begin(), plan.output(i).end());
  return outputs;
}

void expect_same_bits(const Outputs& a, const Outputs& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size()) << "output " << i;
    if (a[i].empty()) continue;
    EXPECT_EQ(std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)), 0)
        << "output " << i;
  }
}

/// What a plan for `rows` rows makes of the batch, run part by part.
Outputs part_by_part(const Graph& graph, std::int64_t batch, std::int64_t rows) {
  Plan plan = compile(graph, rows);
  EXPECT_EQ(plan.slice_count(), 1U);
  Outputs all(plan.output_count());
  for (std::int64_t first = 0; first < batch; first += rows) {
    fill(graph, plan, first, rows);
    EXPECT_TRUE(plan.run());
    const Outputs part = outputs_of(plan);
    for (std::size_t i = 0; i < part.size(); ++i)
      all[i].insert(all[i].end(), part[i].begin(), part[i].end());
  }
  return all;
}

struct Recipe {
  std::int64_t channels = 3, size = 99, wide = 40;
  bool pool = false, norm = true, residual = true;
  bool mixing = false;  ///< the softmax runs over the batch
};

/// Two inputs; outputs of rank 2 and 4, one of them a view of another and one of an input.
Graph network(const Recipe& r, std::uint64_t seed) {
  GraphBuilder b("net", seed);
  const auto conv = [&](const char* name, Value x, std::int64_t out) {
    return b.module("conv2d", name, {x},
                    {{"in_channels", b.dim(x, 1)},
                     {"out_channels", out},
                     {"kernel_size", Ints{3}},
                     {"padding", Ints{1}}});
  };
  const Value x = b.input("x", {-1, r.channels, r.size, r.size + 1});
  const Value mask = b.input("mask", {-1, r.channels, 1, 1});
  Value y = conv("conv1", b.function("mul", {x, mask}), r.wide);
  if (r.norm) y = b.module("batch_norm2d", "bn", {y}, {{"num_features", r.wide}});
  y = b.module("relu", "act", {y});
  if (r.pool) y = b.module("max_pool2d", "pool", {y}, {{"kernel_size", Ints{2}}});
  Value z = conv("conv2", y, r.wide);
  if (r.residual) z = b.function("add", {y, z});
  z = b.module("relu6", "act2", {z});
  const Value narrow = conv("conv3", z, 5);
  const Value flat = b.function("flatten", {narrow}, {{"start_dim", std::int64_t{1}}});
  Value w = b.module("adaptive_avg_pool2d", "gap", {z}, {{"output_size", Ints{1, 1}}});
  w = b.function("flatten", {w}, {{"start_dim", std::int64_t{1}}});
  w = b.module("linear", "fc", {w}, {{"in_features", r.wide}, {"out_features", std::int64_t{7}}});
  w = b.function("softmax", {w}, {{"dim", std::int64_t{r.mixing ? 0 : 1}}});
  const Value seen = b.function("flatten", {mask}, {{"start_dim", std::int64_t{1}}});
  Graph graph = std::move(b).finish({w, narrow, flat, seen}).value();
  const Stream noise(seed, "parameters");
  std::uint64_t n = 0;
  for (Parameter& parameter : graph.parameters())
    for (float& p : parameter.value.mutable_data<float>())
      p = static_cast<float>(parameter.name.ends_with("_var") ? 0.5 + noise.uniform(n++)
                                                              : 0.3 * noise.normal(n++));
  return graph;
}

class Slices : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Networks, Slices, testing::Range(0, 6));

TEST_P(Slices, HaveTheBitsOfAPlanForTheSlice) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const Stream die(seed, "recipe");
  const Recipe recipe{.channels = static_cast<std::int64_t>(1 + die.below(0, 4)),
                      .size = static_cast<std::int64_t>(90 + die.below(1, 20)),
                      .wide = static_cast<std::int64_t>(30 + die.below(2, 10)),
                      .pool = die.below(3, 2) == 1,
                      .norm = die.below(4, 2) == 1,
                      .residual = die.below(5, 2) == 1};
  const Graph graph = network(recipe, seed);
  for (const std::int64_t batch : {1, 2, 13, 16, 18}) {
    SCOPED_TRACE(batch);
    Plan plan = compile(graph, batch);
    const auto slices = static_cast<std::int64_t>(plan.slice_count());
    EXPECT_EQ(batch % slices, 0);
    EXPECT_EQ(slices > 1, batch > 12) << slices;
    fill(graph, plan, 0, batch);
    EXPECT_TRUE(plan.run());
    EXPECT_TRUE(plan.run());  // what a run leaves behind must not change the next
    const Outputs whole = outputs_of(plan);
    expect_same_bits(whole, part_by_part(graph, batch, batch / slices));
    EXPECT_EQ(plan.output_type(1).shape[0], batch);
    Plan threaded = compile(graph, batch, 3);
    EXPECT_EQ(threaded.slice_count(), plan.slice_count());
    fill(graph, threaded, 0, batch);
    ASSERT_TRUE(threaded.run());
    expect_same_bits(whole, outputs_of(threaded));
  }
}

TEST(SlicedPlan, ListsTheStepsOfOneSliceAndTimesThemAll) {
  const Graph graph = network({}, 1);
  Plan plan = compile(graph, 16);
  ASSERT_GT(plan.slice_count(), 1U);
  const Plan part = compile(graph, 16 / static_cast<std::int64_t>(plan.slice_count()));
  EXPECT_EQ(plan.describe(), part.describe());
  EXPECT_EQ(plan.step_count(), part.step_count());
  EXPECT_EQ(plan.steps().size(), part.step_count());
  fill(graph, plan, 0, 16);
  EXPECT_TRUE(plan.run());
  const Outputs run = outputs_of(plan);
  EXPECT_EQ(plan.run_timed().value().size(), part.step_count());
  expect_same_bits(run, outputs_of(plan));
}

TEST(SlicedPlan, ABatchWhoseRowsAreMixedIsNotSliced) {
  const Graph graph = network({.mixing = true}, 1);
  EXPECT_EQ(compile(graph, 16).slice_count(), 1U);
}

TEST(SlicedPlan, ParametersThatChangeAreNotReadTwice) {
  const Graph graph = network({}, 1);
  EXPECT_EQ(compile(graph, 16, 1, /*frozen=*/false).slice_count(), 1U);
}

TEST(SlicedPlan, AnOutputWithoutRowsIsNotCut) {
  GraphBuilder b("sum", 1);
  const Value x = b.input("x", {-1, 16, 256, 256});
  const Value y = b.module("relu", "act", {x});
  const Value total = b.function("sum", {y}, {{"dim", Ints{0}}});
  Graph graph = std::move(b).finish({y, total}).value();
  EXPECT_EQ(compile(graph, 16).slice_count(), 1U);
}

TEST(SlicedPlan, AnInputThatAllRowsShareIsNotCut) {
  GraphBuilder b("shared", 1);
  const Value x = b.input("x", {-1, 4, 256, 256});
  const Value y = b.module("relu", "act", {x});
  const Value z = b.function("mul", {y, b.input("scale", {256})});
  const Graph graph = std::move(b).finish({z}).value();
  EXPECT_EQ(compile(graph, 16).slice_count(), 1U);
}

TEST(SlicedPlan, SmallRowsWithoutAGoodDivisorStayTogether) {
  GraphBuilder b("small", 1);
  const Value x = b.input("x", {-1, 64});
  const Value y = b.module("tanh", "act", {x});
  const Value twice = b.function("cat", {y, y}, {{"dim", std::int64_t{1}}});
  const Value mean = b.function("mean", {twice}, {{"dim", Ints{1}}});
  const Graph graph = std::move(b).finish({mean}).value();
  EXPECT_GT(compile(graph, 100000).slice_count(), 1U);
  EXPECT_EQ(compile(graph, 100003).slice_count(), 1U);  // a prime
}

TEST(SlicedPlan, FixedPointIsCutAndBlocksAreNot) {
  for (const bool blocks : {false, true}) {
    Graph graph = network({}, 2);
    for (const NodeId id : graph.order())
      if (graph.node(id).op == "conv2d") {
        const NumberFormat fixed{"integer",
                                 {{"width", std::int64_t{8}}, {"frac_width", std::int64_t{4}}}};
        const NumberFormat block{"block_fp",
                                 {{"width", std::int64_t{8}},
                                  {"exponent_width", std::int64_t{8}},
                                  {"block_size", Ints{16}}}};
        graph.node(id).formats = {
            {"data_in_0", blocks ? block : fixed}, {"weight", fixed}, {"bias", fixed}};
      }
    Plan plan = compile(graph, 64);
    EXPECT_EQ(plan.slice_count() > 1, !blocks);
    if (blocks) continue;
    fill(graph, plan, 0, 64);
    EXPECT_TRUE(plan.run());
    const auto slices = static_cast<std::int64_t>(plan.slice_count());
    expect_same_bits(outputs_of(plan), part_by_part(graph, 64, 64 / slices));
    Plan ordinary = compile(graph, 64, 2, /*frozen=*/false);
    fill(graph, ordinary, 0, 64);
    ASSERT_TRUE(ordinary.run());
    EXPECT_EQ(outputs_of(plan)[1], outputs_of(ordinary)[1]);
  }
}

TEST(SlicedPlan, AnEmptyOutputSharesNoMemory) {
  GraphBuilder b("empty", 1);
  const Value x = b.input("x", {-1, 16, 64, 64});
  const Value y = b.module("tanh", "act", {x});
  const std::int64_t zero = 0;
  const Value none = b.function("slice", {y}, {{"dim", 1}, {"start", zero}, {"length", zero}});
  const Value twice = b.function("cat", {y, y}, {{"dim", 1}});
  const Value mean = b.function("mean", {twice}, {{"dim", Ints{1, 2, 3}}});
  const Graph graph = std::move(b).finish({mean, none}).value();
  Plan plan = compile(graph, 64);
  ASSERT_GT(plan.slice_count(), 1U);
  fill(graph, plan, 0, 64);
  EXPECT_TRUE(plan.run());
  expect_same_bits(outputs_of(plan),
                   part_by_part(graph, 64, 64 / static_cast<std::int64_t>(plan.slice_count())));
}

TEST(SlicedPlan, OfMobilenetTakesTheMemoryOfTwoImages) {
  const Graph graph = build_model("mobilenetv2", {.seed = 1}).value();
  const Plan small = compile(graph, 2);
  const Plan large = compile(graph, 16);
  EXPECT_EQ(small.slice_count(), 1U);
  EXPECT_EQ(large.slice_count(), 8U);
  EXPECT_EQ(large.input("x").size(), 16U * 3 * 224 * 224);
  EXPECT_LT(large.memory_bytes(), 2 * small.memory_bytes());
}

TEST(SlicedPlan, OfNetworksWithManyWeightsReadsThemOnce) {
  for (const char* name : {"resnet18", "vgg7"})
    EXPECT_EQ(compile(build_model(name, {.seed = 1}).value(), 16).slice_count(), 1U) << name;
}

}  // namespace
}  // namespace chop
