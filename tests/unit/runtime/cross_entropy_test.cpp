// The fast cross_entropy on targets that do not name a class: ignored, or wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compile/compile.hpp"
#include "support/call_op.hpp"

namespace chop::test {
namespace {

struct Outcome {
  float loss;
  std::vector<float> gradient;
};

/// Two rows of two equal logits, through a plan with gradients.
Outcome run_plan(std::int64_t first, std::int64_t second) {
  Graph graph = call_graph("cross_entropy", {zeros({2, 2}), Tensor(DType::I64, {2})}, {});
  const Value loss{*graph.find("call")};
  GradientGraph backward = differentiate(std::move(graph), 2, loss, {"x0"}).value();
  backward.graph.set_outputs({loss, backward.gradients.at("x0")});
  Plan plan = compile_graph(backward.graph, {.batch = 2, .lowered = true}).value().plan;
  std::ranges::fill(plan.input("x0"), 0.0F);
  plan.input<std::int64_t>("x1")[0] = first;
  plan.input<std::int64_t>("x1")[1] = second;
  EXPECT_TRUE(plan.run());
  const auto gradient = plan.output(1);
  return {plan.output(0)[0], {gradient.begin(), gradient.end()}};
}

TEST(CrossEntropyPlan, DoesNotCountIgnoredRows) {
  const Outcome got = run_plan(1, -100);
  EXPECT_FLOAT_EQ(got.loss, std::numbers::ln2_v<float>);
  EXPECT_EQ(got.gradient, (std::vector<float>{0.5F, -0.5F, 0.0F, 0.0F}));
}

TEST(CrossEntropyPlan, IsNotANumberForAClassThatDoesNotExist) {
  for (const std::int64_t wrong : {std::int64_t{2}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    const Outcome got = run_plan(0, wrong);
    EXPECT_TRUE(std::isnan(got.loss)) << wrong;
    EXPECT_EQ(got.gradient[0], -0.25F);
    EXPECT_TRUE(std::isnan(got.gradient[2])) << wrong;
  }
}

}  // namespace
}  // namespace chop::test
