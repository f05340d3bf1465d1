// Plans whose parameters stay as they are: images channels last, chains, bytes. They give what
// ordinary plans give: to the bit where numbers are on fixed-point grids, closely in float.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "compile/compile.hpp"
#include "models/registry.hpp"
#include "ops/core/builder.hpp"
#include "runtime/onednn.hpp"
#include "support/evaluation_plan.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

NumberFormat fixed_point(std::int64_t width, std::int64_t frac, bool is_signed = true,
                         const char* name = "integer") {
  return {name, {{"width", width}, {"frac_width", frac}, {"is_signed", is_signed}}};
}

/// Gives parameters values that matter: statistics away from 0 and 1.
void stir(Graph& graph, std::uint64_t seed) {
  const Stream noise(seed, "stir");
  std::uint64_t n = 0;
  for (Parameter& parameter : graph.parameters()) {
    const bool variance = parameter.name.ends_with("_var");
    if (parameter.value.dtype() != DType::F32) continue;
    for (float& x : parameter.value.mutable_data<float>())
      x = variance ? static_cast<float>(0.5 + noise.uniform(n++))
                   : static_cast<float>(0.3 * noise.normal(n++));
  }
}

struct Answer {
  std::vector<std::vector<float>> outputs;
  std::vector<std::string> steps;
};

Answer run(const Graph& graph, std::int64_t batch, bool frozen, int threads = 1, double reach = 3) {
  Plan plan = test::evaluation_plan(graph, batch, frozen, threads);
  const Stream noise(7, "input");
  std::uint64_t n = 0;
  for (const NodeId id : graph.placeholders())
    for (float& x : plan.input(graph.node(id).name))
      x = static_cast<float>(reach * noise.normal(n++));
  EXPECT_TRUE(plan.run());
  EXPECT_TRUE(plan.run());  // what a run leaves behind must not change the next
  Answer result{.outputs = {}, .steps = plan.describe()};
  for (std::size_t i = 0; i < plan.output_count(); ++i)
    result.outputs.emplace_back(plan.output(i).begin(), plan.output(i).end());
  return result;
}

void expect_same_bits(const Answer& a, const Answer& b) {
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    ASSERT_EQ(a.outputs[i].size(), b.outputs[i].size());
    for (std::size_t k = 0; k < a.outputs[i].size(); ++k)
      ASSERT_EQ(std::memcmp(&a.outputs[i][k], &b.outputs[i][k], sizeof(float)), 0)
          << "output " << i << ", element " << k << ": " << a.outputs[i][k] << " and "
          << b.outputs[i][k];
  }
}

void expect_close(const Answer& a, const Answer& b, double tolerance) {
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    double most = 1e-3;
    for (const float x : b.outputs[i]) most = std::max(most, std::fabs(static_cast<double>(x)));
    for (std::size_t k = 0; k < a.outputs[i].size(); ++k)
      ASSERT_NEAR(a.outputs[i][k], b.outputs[i][k], tolerance * most) << i << " " << k;
  }
}

struct Recipe {
  std::int64_t channels = 16, size = 8, out = 16;
  std::int64_t kernel = 3, stride = 1, padding = 1, dilation = 1, groups = 1, batch = 1;
  bool bias = false, residual = false, clamp6 = false, pool = false;
};

/// Two convolutions with everything that may follow one: norms, clamps, a residual, a pool.
Graph network(const Recipe& r, std::uint64_t seed) {
  GraphBuilder b("net", seed);
  const auto conv = [&](const char* name, Value x, std::int64_t out, std::int64_t kernel,
                        std::int64_t stride, std::int64_t padding, std::int64_t dilation,
                        std::int64_t groups) {
    return b.module("conv2d", name, {x},
                    {{"in_channels", b.dim(x, 1)},
                     {"out_channels", out},
                     {"kernel_size", Ints{kernel}},
                     {"stride", Ints{stride}},
                     {"padding", Ints{padding}},
                     {"dilation", Ints{dilation}},
                     {"groups", groups},
                     {"bias", r.bias}});
  };
  Value x = b.input("x", {-1, r.channels, r.size, r.size + 1});
  Value y = conv("conv1", x, r.out, r.kernel, r.stride, r.padding, r.dilation, r.groups);
  y = b.module("batch_norm2d", "bn1", {y}, {{"num_features", r.out}});
  y = b.module(r.clamp6 ? "relu6" : "relu", "act1", {y});
  if (r.pool)
    y = b.module("max_pool2d", "pool", {y},
                 {{"kernel_size", Ints{3}}, {"stride", Ints{2}}, {"padding", Ints{1}}});
  Value z = conv("conv2", y, r.out, 3, 1, 1, 1, 1);
  z = b.module("batch_norm2d", "bn2", {z}, {{"num_features", r.out}});
  if (r.residual) z = b.function("add", {y, z});
  z = b.module("relu", "act2", {z});
  Value w = conv("conv3", z, 7, 1, 1, 0, 1, 1);
  w = b.module("adaptive_avg_pool2d", "gap", {w}, {{"output_size", Ints{1, 1}}});
  w = b.function("flatten", {w}, {{"start_dim", std::int64_t{1}}});
  Graph graph = std::move(b).finish({w, z}).value();
  stir(graph, seed);
  return graph;
}

Recipe draw(std::uint64_t seed) {
  const Stream die(seed, "recipe");
  std::uint64_t n = 0;
  const auto one_of = [&](std::initializer_list<std::int64_t> list) {
    return list.begin()[die.below(n++, list.size())];
  };
  Recipe r{};
  r.groups = one_of({1, 1, 1, 2, 4});
  r.channels = r.groups * one_of({1, 3, 5, 16, 24});
  r.out = r.groups * one_of({1, 4, 16, 17, 33});
  if (one_of({0, 1, 2}) == 0) r.groups = r.channels = r.out;  // depthwise
  r.kernel = one_of({1, 3, 5});
  r.stride = one_of({1, 2});
  r.dilation = one_of({1, 1, 2});
  r.padding = one_of({0, r.kernel / 2, r.kernel / 2 + 1});
  r.size = r.dilation * (r.kernel - 1) + one_of({1, 4, 11, 20});
  r.batch = one_of({1, 2, 5});
  r.bias = one_of({0, 1}) == 1;
  r.residual = one_of({0, 1}) == 1;
  r.clamp6 = one_of({0, 1}) == 1;
  r.pool = one_of({0, 1}) == 1;
  return r;
}

std::string show(const Recipe& r) {
  return cat("channels ", r.channels, " size ", r.size, " out ", r.out, " kernel ", r.kernel,
             " stride ", r.stride, " padding ", r.padding, " dilation ", r.dilation, " groups ",
             r.groups, " batch ", r.batch, r.pool ? " pool" : "", r.residual ? " residual" : "");
}

class Frozen : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Networks, Frozen, testing::Range(0, 40));

TEST_P(Frozen, InFloatIsCloseToTheOrdinaryPlan) {
  const Recipe recipe = draw(static_cast<std::uint64_t>(GetParam()));
  SCOPED_TRACE(show(recipe));
  const Graph graph = network(recipe, static_cast<std::uint64_t>(GetParam()));
  const Answer fast = run(graph, recipe.batch, true);
  expect_close(fast, run(graph, recipe.batch, false), 2e-6);
  expect_same_bits(fast, run(graph, recipe.batch, true, 3));
}

TEST_P(Frozen, OnGridsHasTheBitsOfTheOrdinaryPlan) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const Recipe recipe = draw(seed);
  SCOPED_TRACE(show(recipe));
  Graph graph = network(recipe, seed);
  const Stream die(seed, "formats");
  std::uint64_t n = 0;
  for (const NodeId id : graph.order()) {
    Node& node = graph.node(id);
    const auto width = static_cast<std::int64_t>(2 + die.below(n++, 7));
    const auto frac = static_cast<std::int64_t>(die.below(n++, 7)) - 1;
    const char* name = die.below(n++, 4) == 0 ? "integer_floor" : "integer";
    if (node.op == "conv2d") {
      node.formats = {{"data_in_0", fixed_point(width, frac, die.below(n++, 4) > 0, name)},
                      {"weight", fixed_point(8, 6)}};
      if (recipe.bias) node.formats.emplace("bias", fixed_point(8, 4));
    }
    if (node.op == "relu" && die.below(n++, 2) == 0)
      node.formats = {{"data_in_0", fixed_point(8, 3)}};
  }
  const Answer plain = run(graph, recipe.batch, false);
  const Answer fast = run(graph, recipe.batch, true);
  expect_same_bits(fast, plain);
  expect_same_bits(fast, run(graph, recipe.batch, true, 2));
  EXPECT_LT(fast.steps.size(), plain.steps.size());
}

TEST(FrozenPlan, ConvolutionsInTilesAreCloseToTheOrdinaryPlanWithAllThatFollows) {
  for (const bool residual : {false, true})
    for (const std::int64_t batch : {1, 6}) {
      const Recipe recipe{.channels = 32,
                          .size = 15,
                          .out = 96,
                          .batch = batch,
                          .bias = !residual,
                          .residual = residual,
                          .pool = batch == 6};
      const Graph graph = network(recipe, 5);
      const Answer fast = run(graph, batch, true);
      expect_close(fast, run(graph, batch, false), 4e-6);
      expect_same_bits(fast, run(graph, batch, true, 3));
    }
}

TEST(FrozenPlan, SumsOfTheLargestCodesAreExact) {
  // 1000 products of -128 by -128 are 2^24 - 3 * 2^17 or so: the last that float32 holds for sure.
  for (const double reach : {1e9, -1e9}) {
    GraphBuilder b("edge", 1);
    const Value x = b.input("x", {-1, 1000, 2, 2});
    const Value y = b.module("conv2d", "conv", {x},
                             {{"in_channels", std::int64_t{1000}},
                              {"out_channels", std::int64_t{3}},
                              {"kernel_size", Ints{1}},
                              {"bias", false}});
    Graph graph = std::move(b).finish({y}).value();
    for (float& w : graph.find_parameter("conv.weight")->value.mutable_data<float>()) w = -1e9F;
    const auto find = graph.find("conv");
    graph.node(*find).formats = {{"data_in_0", fixed_point(8, 0)}, {"weight", fixed_point(8, 0)}};
    const Answer fast = run(graph, 1, true, 1, reach);
    expect_same_bits(fast, run(graph, 1, false, 1, reach));
  }
}

TEST(FrozenPlan, BeyondFloatTheIntegerSumIsRoundedOnce) {
  // Every product is 127 · 127; 8192 of them do not fit float32's 24 bits.
  GraphBuilder b("beyond", 1);
  const Value x = b.input("x", {-1, 8191});
  const Value y = b.module(
      "linear", "fc", {x},
      {{"in_features", std::int64_t{8191}}, {"out_features", std::int64_t{4}}, {"bias", false}});
  Graph graph = std::move(b).finish({y}).value();
  for (float& w : graph.find_parameter("fc.weight")->value.mutable_data<float>()) w = 127;
  graph.node(*graph.find("fc")).formats = {{"data_in_0", fixed_point(8, 0, true)},
                                           {"weight", fixed_point(8, 0)}};
  Plan plan = test::evaluation_plan(graph, 1, /*frozen=*/true, 1);
  for (float& v : plan.input("x")) v = 1e6F;
  EXPECT_TRUE(plan.run());
  for (const float v : plan.output()) EXPECT_EQ(v, static_cast<float>(8191 * 127 * 127));
}

TEST(FrozenPlan, LinearLayersOfManyWeightsRunOnBytes) {
  for (const std::int64_t rows : {1, 3, 64}) {
    GraphBuilder b("mlp", 3);
    Value x = b.input("x", {-1, 130});
    for (const char* name : {"fc1", "fc2", "fc3"}) {
      x = b.module("linear", name, {x},
                   {{"in_features", b.dim(x, 1)}, {"out_features", std::int64_t{190}}});
      x = b.module("batch_norm1d", std::string(name) + "_bn", {x},
                   {{"num_features", std::int64_t{190}}});
      x = b.module("relu", std::string(name) + "_relu", {x});
    }
    Graph graph = std::move(b).finish({x}).value();
    stir(graph, 3);
    for (const NodeId id : graph.order())
      if (graph.node(id).op == "linear")
        graph.node(id).formats = {{"data_in_0", fixed_point(8, 4)},
                                  {"weight", fixed_point(6, 4)},
                                  {"bias", fixed_point(8, 4)}};
    const Answer fast = run(graph, rows, true, 2);
    expect_same_bits(fast, run(graph, rows, false));
    EXPECT_EQ(fast.steps,
              (std::vector<std::string>{"fc1_data_in_0_quantized: quantize",
                                        "fc2_data_in_0_quantized: linear",
                                        "fc3_data_in_0_quantized: linear", "fc3_relu: linear"}));
  }
}

TEST(FrozenPlan, AFixedPointValueWithAnotherReaderStaysInFloat) {
  GraphBuilder b("shared", 1);
  const Value x = b.input("x", {-1, 16, 6, 6});
  const Attrs conv = {{"in_channels", std::int64_t{16}},
                      {"out_channels", std::int64_t{16}},
                      {"kernel_size", Ints{1}}};
  const Value y = b.module("conv2d", "conv", {x}, conv);
  const Value z = b.module("relu", "act", {x});
  Graph graph = std::move(b).finish({b.function("add", {y, z})}).value();
  graph.node(*graph.find("conv")).formats = {
      {"data_in_0", fixed_point(8, 4)}, {"weight", fixed_point(8, 4)}, {"bias", fixed_point(8, 4)}};
  graph.node(*graph.find("act")).formats = {{"data_in_0", fixed_point(8, 4)}};
  expect_same_bits(run(graph, 2, true), run(graph, 2, false));
}

/// x → conv → relu → pool → conv with 8-bit operands and whatever else is asked for.
Graph pooled(const Attrs& pool, std::int64_t size, std::int64_t width = 8) {
  GraphBuilder b("pooled", 5);
  const auto conv = [&](const char* name, Value x) {
    return b.module("conv2d", name, {x},
                    {{"in_channels", b.dim(x, 1)},
                     {"out_channels", std::int64_t{70}},
                     {"kernel_size", Ints{1}}});
  };
  Value x = conv("conv1", b.input("x", {-1, 3, size, size}));
  x = b.module("relu", "act", {x});
  x = b.module("max_pool2d", "pool", {x}, pool);
  Graph graph = std::move(b).finish({conv("conv2", x)}).value();
  stir(graph, 5);
  for (const NodeId id : graph.order())
    if (graph.node(id).op == "conv2d")
      graph.node(id).formats = {{"data_in_0", fixed_point(width, 4)},
                                {"weight", fixed_point(8, 6)},
                                {"bias", fixed_point(8, 4)}};
  return graph;
}

TEST(FrozenPlan, PoolsBytesThatAreQuantisedBefore) {
  for (const std::int64_t width : {4, 8}) {
    const Graph graph =
        pooled({{"kernel_size", Ints{3}}, {"stride", Ints{2}}, {"padding", Ints{1}}}, 9, width);
    const Answer fast = run(graph, 3, true, 2);
    expect_same_bits(fast, run(graph, 3, false));
    EXPECT_EQ(fast.steps, (std::vector<std::string>{
                              "x_channels_last: identity", "conv1_data_in_0_quantized: quantize",
                              "conv2_data_in_0_quantized: conv2d", "pool: max_pool2d",
                              "conv2: conv2d", "conv2_dense: identity"}));
  }
}

TEST(FrozenPlan, AWindowThatSeesOnlyPaddingGivesTheSameBits) {
  const Graph graph = pooled(
      {{"kernel_size", Ints{2}}, {"stride", Ints{1}}, {"padding", Ints{1}}, {"dilation", Ints{2}}},
      1);
  expect_same_bits(run(graph, 2, true), run(graph, 2, false));
}

TEST(FrozenPlan, SumsThatCouldWrapStayInFloat) {
  GraphBuilder b("wide", 1);
  const Value x = b.input("x", {-1, 140000});
  const Value y = b.module(
      "linear", "fc", {x},
      {{"in_features", std::int64_t{140000}}, {"out_features", std::int64_t{2}}, {"bias", false}});
  Graph graph = std::move(b).finish({y}).value();
  for (float& w : graph.find_parameter("fc.weight")->value.mutable_data<float>()) w = -1e9F;
  graph.node(*graph.find("fc")).formats = {{"data_in_0", fixed_point(8, 0)},
                                           {"weight", fixed_point(8, 0)}};
  const Answer fast = run(graph, 1, true, 1, 1e9);
  expect_close(fast, run(graph, 1, false, 1, 1e9), 1e-3);
}

TEST(FrozenPlan, ABiasOffTheGridIsAddedAfterTheSum) {
  for (const std::int64_t channels : {16, 256}) {
    GraphBuilder b("biased", 2);
    const Value x = b.input("x", {-1, channels, 5, 5});
    const Value y = b.module(
        "conv2d", "conv", {x},
        {{"in_channels", channels}, {"out_channels", std::int64_t{16}}, {"kernel_size", Ints{3}}});
    Graph graph = std::move(b).finish({y}).value();
    stir(graph, 2);
    graph.node(*graph.find("conv")).formats = {{"data_in_0", fixed_point(4, 2)},
                                               {"weight", fixed_point(4, 3)}};
    expect_close(run(graph, 2, true), run(graph, 2, false), 1e-6);
  }
}

TEST(FrozenPlan, StatisticsOfTheBatchAreTakenInTheOrdinaryOrder) {
  GraphBuilder b("statistics", 3);
  Value x = b.input("x", {-1, 8, 9, 9});
  x = b.module("conv2d", "conv", {x},
               {{"in_channels", std::int64_t{8}},
                {"out_channels", std::int64_t{16}},
                {"kernel_size", Ints{3}},
                {"bias", false}});
  x = b.module("batch_norm2d", "bn", {x},
               {{"num_features", std::int64_t{16}}, {"track_running_stats", false}});
  Graph graph = std::move(b).finish({x}).value();
  stir(graph, 3);
  graph.node(*graph.find("conv")).formats = {{"data_in_0", fixed_point(8, 4)},
                                             {"weight", fixed_point(8, 6)}};
  expect_same_bits(run(graph, 3, true), run(graph, 3, false));
}

TEST(FrozenPlan, AnImageWithoutABatchKeepsItsLayout) {
  GraphBuilder b("unbatched", 4);
  Value x = b.input("x", {-1, 4, 3});
  x = b.module("conv1d", "conv", {x},
               {{"in_channels", std::int64_t{4}},
                {"out_channels", std::int64_t{6}},
                {"kernel_size", Ints{3}}});  // [n, 6, 1], which the pool takes for [c, h, w]
  x = b.module("max_pool2d", "pool", {x}, {{"kernel_size", Ints{2, 1}}});
  Graph graph = std::move(b).finish({x}).value();
  stir(graph, 4);
  expect_close(run(graph, 3, true), run(graph, 3, false), 1e-6);
}

TEST(FrozenPlan, StatisticsInDoublesAreNoEpilogue) {
  Graph graph = network({}, 1);
  Tensor& variance = graph.find_parameter("bn1.running_var")->value;
  Tensor wide(DType::F64, variance.shape());
  for (std::int64_t i = 0; i < wide.size(); ++i)
    wide.mutable_data<double>()[static_cast<std::size_t>(i)] = variance.at(i);
  variance = std::move(wide);
  expect_close(run(graph, 2, true), run(graph, 2, false), 1e-5);
}

TEST(FrozenPlan, NaNStaysNaNThroughChains) {
  Graph graph = network({.residual = true}, 1);
  graph.find_parameter("conv1.weight")->value.mutable_data<float>()[0] =
      std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> frozen = run(graph, 1, true).outputs[0];
  const std::vector<float> one_by_one = run(graph, 1, false).outputs[0];
  // Tiles that share a window spread it further; where padding is skipped it goes less far.
  EXPECT_TRUE(std::ranges::any_of(one_by_one, [](float x) { return std::isnan(x); }));
  for (std::size_t i = 0; i < frozen.size(); ++i)
    EXPECT_TRUE(std::isnan(frozen[i]) || !std::isnan(one_by_one[i])) << "output " << i;
}

TEST(FrozenPlan, OfLargeImagesHasTheSameBitsForAnyNumberOfThreads) {
  for (const std::int64_t batch : {1, 3}) {
    Graph graph =
        network({.channels = 32, .size = 56, .out = 64, .batch = batch, .residual = true}, 2);
    expect_same_bits(run(graph, batch, true, 1), run(graph, batch, true, 2));
    for (const NodeId id : graph.order())
      if (graph.node(id).op == "conv2d")
        graph.node(id).formats = {{"data_in_0", fixed_point(8, 4)}, {"weight", fixed_point(8, 6)}};
    expect_same_bits(run(graph, batch, true, 1), run(graph, batch, true, 2));
    expect_same_bits(run(graph, batch, true, 2), run(graph, batch, false, 2));
  }
}

TEST(FrozenPlan, OfEveryNetworkOfTheZooIsCloseToTheOrdinaryPlan) {
  for (const ModelDef& model : all_models()) {
    SCOPED_TRACE(model.name);
    const Graph graph = build_model(model.name, {.seed = 1}).value();
    expect_close(run(graph, 1, true, 2, 1), run(graph, 1, false, 2, 1), 1e-5);
  }
}

}  // namespace
}  // namespace chop
