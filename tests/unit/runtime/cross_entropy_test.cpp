// cross_entropy on targets that do not name a class: ignored, or wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compile/compile.hpp"
#include "support/call_op.hpp"
#include "support/noise.hpp"

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

/// Logits of rows that a vector holds together, with nasty ones among them.
std::vector<float> nasty_logits(std::int64_t rows, std::int64_t classes) {
  constexpr float kNasty[] = {0, -0.0F, 88, -104, 1e30F, -1e30F, 1e-40F, 3.4e38F};
  std::vector<float> x = noise(rows * classes, "logits");
  for (std::size_t i = 0; i < x.size(); i += 7) x[i] = kNasty[i / 7 % std::size(kNasty)];
  return x;
}

TEST(CrossEntropyPlan, OfAnyNumberOfClassesIsTheSumInDouble) {
  for (std::int64_t classes = 1; classes <= 18; ++classes)
    for (const std::int64_t rows : {16, 37, 256}) {
      Graph graph =
          call_graph("cross_entropy", {zeros({rows, classes}), Tensor(DType::I64, {rows})}, {});
      const Value loss{*graph.find("call")};
      GradientGraph backward = differentiate(std::move(graph), 2, loss, {"x0"}).value();
      backward.graph.set_outputs({loss, backward.gradients.at("x0")});
      Plan plan = compile_graph(backward.graph, {.batch = rows, .lowered = true}).value().plan;
      const std::vector<float> x = nasty_logits(rows, classes);
      std::ranges::copy(x, plan.input("x0").begin());
      for (std::int64_t r = 0; r < rows; ++r)
        plan.input<std::int64_t>("x1")[static_cast<std::size_t>(r)] = r * 5 % classes;
      ASSERT_TRUE(plan.run());
      double total = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto row = std::span(x).subspan(static_cast<std::size_t>(r * classes),
                                              static_cast<std::size_t>(classes));
        const double top = *std::ranges::max_element(row);
        double sum = 0;
        for (const float each : row) sum += std::exp(each - top);
        const auto target = static_cast<std::size_t>(r * 5 % classes);
        total += std::log(sum) - (static_cast<double>(row[target]) - top);
        for (std::size_t j = 0; j < row.size(); ++j)
          ASSERT_NEAR(
              plan.output(1)[static_cast<std::size_t>(r * classes) + j],
              (std::exp(row[j] - top) / sum - (j == target ? 1 : 0)) / static_cast<double>(rows),
              1e-6 / static_cast<double>(rows))
              << classes << " classes, row " << r << ", class " << j;
      }
      const double mean = total / static_cast<double>(rows);
      EXPECT_NEAR(plan.output(0)[0], mean, 1e-6 * std::abs(mean) + 1e-6) << classes;
    }
}

}  // namespace
}  // namespace chop::test
