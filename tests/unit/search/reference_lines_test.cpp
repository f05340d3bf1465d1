// The geometry of NSGA-III.
#include "search/algorithms/reference_lines.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "support/search_samples.hpp"

namespace chop {
namespace {

TEST(ReferenceLines, AreAllCombinationsOfTheDivisions) {
  EXPECT_EQ(reference_weights(2, 2), (std::vector<Losses>{{0, 1}, {0.5, 0.5}, {1, 0}}));
  EXPECT_EQ(reference_weights(3, 12).size(), 91U);
  EXPECT_EQ(reference_weights(1, 1), (std::vector<Losses>{{1}}));
  for (const Losses& weights : reference_weights(4, 5))
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
}

TEST(ReferenceLines, DivisionsGiveAtLeastTheLinesAskedFor) {
  for (std::size_t objectives = 2; objectives < 6; ++objectives)
    for (const std::size_t lines : {1, 2, 10, 50, 91}) {
      const int divisions = enough_divisions(objectives, lines);
      EXPECT_GE(reference_weights(objectives, divisions).size(), lines);
      const std::size_t fewer =
          divisions > 1 ? reference_weights(objectives, divisions - 1).size() : 0;
      EXPECT_LT(fewer, lines);
    }
}

TEST(ReferenceLines, AFlatFrontIsScaledToTheUnitPlane) {
  // 10 a + b / 2 = 1 moved by (3, -4).
  const std::vector<Losses> rows = {{3, -2}, {3.1, -4}, {3.05, -3}, {3.2, -1}};
  const std::vector<int> ranks = {0, 0, 0, 1};
  const std::vector<Losses> found = normalised(rows, ranks);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i][0] + found[i][1], 1, 1e-9);
  EXPECT_NEAR(found[3][0], 2, 1e-9);
}

TEST(ReferenceLines, DegenerateFrontsStayFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<Losses> rows = {{1, 1, 1}, {1, 1, 1}, {kInfinity, kInfinity, kInfinity}};
  for (const Losses& row : normalised(rows, std::vector<int>{0, 0, 1}))
    for (const double value : row) EXPECT_TRUE(value >= 0 && value <= 1e9);
}

TEST(ReferenceLines, TheNearestIsByAngle) {
  const std::vector<Losses> weights = reference_weights(2, 2);
  EXPECT_EQ(nearest_line({0.1, 3}, weights).line, 0U);
  EXPECT_EQ(nearest_line({3, 3.1}, weights).line, 1U);
  EXPECT_NEAR(nearest_line({2, 0.25}, weights).distance, 0.25, 1e-12);
}

TEST(Nsgaiii, RefusesTooManyReferenceLines) {
  const Space space = widths_space(2);
  const SamplerDef& def = *find_sampler("nsga3").value();
  Tree options = Tree::table();
  options.set("dividing_parameter", 100);
  const Args args = Args::check(def.args, options, {.path = "sampler"}).value();
  const SamplerContext context{.space = space, .directions = std::vector(6, Direction::Minimise)};
  const auto made = def.make(context, args);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what,
            "sampler.dividing_parameter: makes too many lines for so many objectives");
}

TEST(Nsgaiii, ApproachesTheFrontOfThreeObjectives) {
  const Space space = widths_space(9, {0, 1, 2, 3, 4, 5});
  const auto objectives = [](const Point& point) {
    Losses sums(3, 0);
    for (std::size_t i = 0; i < point.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k)
        sums[k] +=
            (point[i] - static_cast<double>(2 * k)) * (point[i] - static_cast<double>(2 * k));
    return sums;
  };
  std::map<std::string, double> volumes;
  for (const std::string name : {"nsgaiii", "random"}) {
    const auto sampler = make_sampler(
        name, {.space = space, .directions = std::vector(3, Direction::Minimise), .seed = 1});
    std::vector<Losses> rows;
    for (const SampledTrial& trial :
         play_study(*sampler, {.objectives = objectives, .trials = 500}))
      rows.push_back(trial.values);
    volumes[name] = hypervolume(rows, {150, 100, 150});
  }
  EXPECT_GT(volumes["nsgaiii"], 1.1 * volumes["random"]);
}

}  // namespace
}  // namespace chop
