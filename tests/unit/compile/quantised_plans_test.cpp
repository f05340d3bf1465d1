// Plans of quantised networks whose parameters stay: weights are rounded once, roundings of
// activations are part of the steps before them, and the bits are those of one call after the
// other.
#include <gtest/gtest.h>

#include <cstring>

#include "compile/compile.hpp"
#include "models/registry.hpp"
#include "ops/core/builder.hpp"
#include "support/evaluation_plan.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

struct Answer {
  std::vector<float> values;
  std::vector<StepInfo> steps;
};

Answer run(const Graph& graph, std::int64_t batch, bool frozen, int threads) {
  Plan plan = test::evaluation_plan(graph, batch, frozen, threads);
  const Stream noise(7, "input");
  std::uint64_t n = 0;
  for (const NodeId id : graph.placeholders())
    for (float& x : plan.input(graph.node(id).name)) x = static_cast<float>(2 * noise.normal(n++));
  EXPECT_TRUE(plan.run());
  return {{plan.output().begin(), plan.output().end()}, plan.steps()};
}

void expect_same_bits(const Answer& a, const Answer& b) {
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)), 0);
}

std::int64_t count_steps(const Answer& answer, std::string_view op) {
  return std::ranges::count_if(answer.steps, [&](const StepInfo& step) { return step.op == op; });
}

const std::vector<NumberFormat>& formats() {
  static const std::vector<NumberFormat> kFormats = {
      {"integer", {{"width", 8}, {"frac_width", 4}}},
      {"integer", {{"width", 2}, {"frac_width", 1}}},
      {"integer_floor", {{"width", 4}, {"frac_width", 2}}},
      {"affine", {{"width", 2}, {"narrow", true}, {"scale", std::vector<double>{1.0}}}},
      {"affine", {{"width", 8}, {"zero_point", 3}, {"scale", std::vector<double>{0.0234}}}},
      {"binary", {}},
      {"ternary", {}},
      {"block_fp", {{"width", 6}, {"exponent_width", 8}, {"block_size", Ints{4}}}},
      {"minifloat_ieee", {{"width", 8}, {"exponent_width", 4}}}};
  return kFormats;
}

void quantise_linear(Graph& graph, const NumberFormat& format) {
  for (const NodeId id : graph.order())
    if (graph.node(id).op == "linear")
      for (const char* operand : {"data_in_0", "weight", "bias"})
        graph.node(id).formats.emplace(operand, format);
}

TEST(QuantisedPlans, RoundWeightsOnceWhateverTheFormat) {
  for (const NumberFormat& format : formats()) {
    SCOPED_TRACE(cat(format.name));
    Graph graph = build_model("jsc-s", {}).value();
    quantise_linear(graph, format);
    const Answer frozen = run(graph, 5, /*frozen=*/true, 1);
    for (const StepInfo& step : frozen.steps)
      EXPECT_EQ(step.name.find("weight"), std::string::npos) << step.name;
    expect_same_bits(frozen, run(graph, 5, /*frozen=*/false, 1));
  }
}

TEST(QuantisedPlans, HaveNoMoreStepsThanTheSameNetworkInFloat) {
  for (const char* model : {"jsc-tiny", "jsc-s", "jsc-deep"}) {
    const Graph plain = build_model(model, {}).value();
    const std::size_t steps = run(plain, 5, /*frozen=*/true, 1).steps.size();
    for (const NumberFormat& format : formats()) {
      if (format.name != "integer" && format.name != "affine") continue;
      SCOPED_TRACE(cat(model, " ", format.name));
      Graph graph = plain;
      quantise_linear(graph, format);
      const Answer frozen = run(graph, 5, /*frozen=*/true, 1);
      EXPECT_LE(frozen.steps.size(), steps);
      EXPECT_EQ(count_steps(frozen, "quantize"), 0);
      for (const std::int64_t batch : {1, 5, 300, 5000}) {
        const Answer one_by_one = run(graph, batch, /*frozen=*/false, 1);
        expect_same_bits(run(graph, batch, /*frozen=*/true, 1), one_by_one);
        expect_same_bits(run(graph, batch, /*frozen=*/true, 3), one_by_one);
      }
    }
  }
}

/// relu, relu, each with a format on what it reads.
Graph two_relus(const NumberFormat& first, const NumberFormat& second) {
  GraphBuilder b("net", 1);
  Value x = b.input("x", {-1, 11});
  x = b.module("relu", "first", {x});
  x = b.module("relu", "second", {x});
  Graph graph = std::move(b).finish({x}).value();
  graph.node(*graph.find("first")).formats = {{"data_in_0", first}};
  graph.node(*graph.find("second")).formats = {{"data_in_0", second}};
  return graph;
}

NumberFormat fixed_point(std::int64_t width, std::int64_t fraction) {
  return {"integer", {{"width", width}, {"frac_width", fraction}}};
}

TEST(QuantisedPlans, AQuantiserOfValuesThatAreOnItsGridIsNoStep) {
  const NumberFormat eight = fixed_point(8, 4);
  const NumberFormat floor{"integer_floor", {{"width", 8}, {"frac_width", 4}}};
  const auto quantisers = [](const NumberFormat& first, const NumberFormat& second) {
    return count_steps(run(two_relus(first, second), 3, /*frozen=*/false, 1), "quantize");
  };
  EXPECT_EQ(quantisers(eight, eight), 1);
  EXPECT_EQ(quantisers(floor, floor), 1);
  for (const NumberFormat& other : {fixed_point(8, 5), fixed_point(7, 4), floor})
    EXPECT_EQ(quantisers(eight, other), 2);
  const NumberFormat off{"affine", {{"width", 8}, {"scale", std::vector<double>{0.0234}}}};
  EXPECT_EQ(quantisers(off, off), 2);
}

TEST(QuantisedPlans, AreThoseOfTheReferenceWhereQuantisersAreLeftOut) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> nasty = {0,    -0.0F, 0.03125F,  -0.03125F,  1e-30F,  -1e-30F,
                                    1e9F, -1e9F, kInfinity, -kInfinity, 7.96875F};
  for (const NumberFormat& format : formats()) {
    SCOPED_TRACE(cat(format.name));
    const Graph graph = two_relus(format, format);
    const auto outputs = [&](bool reference_only, bool frozen) {
      Plan plan =
          compile_graph(graph, {.batch = 1, .frozen = frozen, .reference_only = reference_only})
              .value()
              .plan;
      std::ranges::copy(nasty, plan.input("x").begin());
      EXPECT_TRUE(plan.run());
      return std::vector<float>(plan.output().begin(), plan.output().end());
    };
    const std::vector<float> expected = outputs(true, false);
    for (const bool frozen : {false, true}) {
      const std::vector<float> got = outputs(false, frozen);
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i]) << nasty[i];
    }
  }
}

/// Large enough for oneDNN's products, small enough for sums that are exact in any order.
TEST(QuantisedPlans, ChainsOfLargeProductsHaveTheBitsOfOneCallAfterTheOther) {
  GraphBuilder b("net", 1);
  Value x = b.input("x", {-1, 96});
  x = b.module("linear", "fc", {x}, {{"in_features", 96}, {"out_features", 160}});
  x = b.module("batch_norm1d", "bn", {x}, {{"num_features", 160}});
  x = b.module("relu6", "act", {x});
  x = b.module("linear", "out", {x}, {{"in_features", 160}, {"out_features", 7}});
  Graph graph = std::move(b).finish({x}).value();
  for (const bool binary : {true, false}) {
    const NumberFormat format{
        "affine", {{"width", 8}, {"scale", std::vector<double>{binary ? 0.0625 : 0.0234}}}};
    graph.node(*graph.find("out")).formats = {{"data_in_0", format}};
    for (const std::int64_t batch : {1, 40, 700}) {
      const Answer one_by_one = run(graph, batch, /*frozen=*/false, 1);
      const Answer frozen = run(graph, batch, /*frozen=*/true, 1);
      EXPECT_EQ(frozen.steps.size(), 2U);
      expect_same_bits(frozen, one_by_one);
      expect_same_bits(run(graph, batch, /*frozen=*/true, 3), one_by_one);
    }
  }
}

Graph rounded_convolution(const char* last, const Attrs& attrs) {
  GraphBuilder b("net", 1);
  Value x = b.input("x", {-1, 64, 12, 12});
  x = b.module(
      "conv2d", "conv", {x},
      {{"in_channels", 64}, {"out_channels", 64}, {"kernel_size", Ints{3}}, {"padding", Ints{1}}});
  x = b.function(last, {x}, attrs);
  return std::move(b).finish({x}).value();
}

TEST(QuantisedPlans, RoundingsInTheGraphKeepConvolutionsExact) {
  const auto backend = [](const Graph& graph) {
    for (const StepInfo& step : run(graph, 1, /*frozen=*/true, 1).steps)
      if (step.op == "conv2d") return std::string(step.backend);
    return std::string();
  };
  EXPECT_EQ(backend(rounded_convolution("tanh", {})), "winograd");
  EXPECT_NE(backend(rounded_convolution("round", {})), "winograd");
  EXPECT_NE(backend(rounded_convolution("floor", {})), "winograd");
}

}  // namespace
}  // namespace chop
