// cross_entropy on targets that do not name a class: ignored, or wrong.
#include <gtest/gtest.h>

#include <algorithm>
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
Result<Outcome> run_plan(std::int64_t first, std::int64_t second) {
  Graph graph = call_graph("cross_entropy", {zeros({2, 2}), Tensor(DType::I64, {2})}, {});
  const Value loss{*graph.find("call")};
  GradientGraph backward = differentiate(std::move(graph), 2, loss, {"x0"}).value();
  backward.graph.set_outputs({loss, backward.gradients.at("x0")});
  Plan plan = compile_graph(backward.graph, {.batch = 2, .lowered = true}).value().plan;
  std::ranges::fill(plan.input("x0"), 0.0F);
  plan.input<std::int64_t>("x1")[0] = first;
  plan.input<std::int64_t>("x1")[1] = second;
  CH_CHECK(plan.run());
  const auto gradient = plan.output(1);
  return Outcome{plan.output(0)[0], {gradient.begin(), gradient.end()}};
}

TEST(CrossEntropyPlan, DoesNotCountIgnoredRows) {
  const Outcome got = run_plan(1, -100).value();
  EXPECT_FLOAT_EQ(got.loss, std::numbers::ln2_v<float>);
  EXPECT_EQ(got.gradient, (std::vector<float>{0.5F, -0.5F, 0.0F, 0.0F}));
}

TEST(CrossEntropyPlan, RefusesAClassThatDoesNotExist) {
  for (const std::int64_t wrong : {std::int64_t{2}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    const Result<Outcome> got = run_plan(0, wrong);
    ASSERT_FALSE(got) << wrong;
    EXPECT_EQ(got.error().what, cat("cross_entropy 'call': index ", wrong,
                                    " is out of range for a dimension of size 2"));
    EXPECT_EQ(got.error().notes, std::vector<std::string>{"it is element 1 of operand 1"});
  }
}

TEST(CrossEntropyReference, RefusesAClassThatDoesNotExistAndSkipsTheIgnored) {
  const Graph graph = call_graph("cross_entropy", {zeros({2, 2}), Tensor(DType::I64, {2})}, {});
  const auto run = [&](std::int64_t target) {
    return run_reference(
        graph, {{"x0", zeros({2, 2})}, {"x1", Tensor::of<std::int64_t>({2}, {0, target})}});
  };
  EXPECT_TRUE(run(-100));
  const Result<Values> got = run(2);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().what,
            "cross_entropy 'call': index 2 is out of range for a dimension of size 2");
}

}  // namespace
}  // namespace chop::test
