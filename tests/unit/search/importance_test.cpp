// Importances of functions whose shares are known.
#include "search/algorithms/importance.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/search_samples.hpp"

namespace chop {
namespace {

template <class F>
std::vector<double> importances_of(const Space& space, F value, std::uint64_t points = 400) {
  std::vector<Point> drawn;
  std::vector<double> values;
  for (std::uint64_t i = 0; i < points; ++i) {
    drawn.push_back(space.draw(Stream(1, "importance", i)));
    values.push_back(value(drawn.back()));
  }
  return parameter_importances(space, drawn, values);
}

TEST(Importance, IsTheShareOfTheVariance) {
  const Space space({{"a", Distribution::real(0, 1)},
                     {"b", Distribution::real(0, 1)},
                     {"c", Distribution::categorical({"x", "y", "z"})}});
  const auto found = importances_of(space, [](const Point& p) { return 2 * p[0] + p[1]; });
  EXPECT_NEAR(found[0], 0.8, 0.04);
  EXPECT_NEAR(found[1], 0.2, 0.04);
  EXPECT_NEAR(found[2], 0, 0.01);
  EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), 1, 1e-12);
}

TEST(Importance, ConstantsHaveNone) {
  const Space space = widths_space(3);
  const auto found = importances_of(space, [](const Point&) { return 7.0; });
  EXPECT_EQ(found, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(parameter_importances(space, {}, {}), (std::vector<double>{0, 0, 0}));
}

TEST(Importance, InactiveParametersCount) {
  const Space space(
      {{"format", Distribution::categorical({"integer", "log"})},
       {"width", Distribution::real(0, 1), {{.parent = 0, .choices = {true, false}}}}});
  // Whether the width is there tells the format, so either may stand for it.
  const auto by_format =
      importances_of(space, [](const Point& p) { return p[0] == 0 ? 1.0 : 5.0; });
  EXPECT_NEAR(by_format[0] + by_format[1], 1, 1e-12);
  const auto by_width =
      importances_of(space, [](const Point& p) { return is_active(p[1]) ? p[1] : 0.5; });
  EXPECT_GT(by_width[1], 2 * by_width[0]);
}

TEST(Importance, ManyTrialsTakeAMoment) {
  const Space space = widths_space(12);
  const auto found = importances_of(
      space, [](const Point& p) { return p[0] + 0.1 * p[1]; }, /*points=*/5000);
  EXPECT_GT(found[0], 0.95);
}

TEST(Importance, AdjacentDoublesCanBeSplit) {
  const Space space({{"a", Distribution::real(0, 1)}, {"b", Distribution::real(0, 1)}});
  std::vector<Point> points;
  std::vector<double> values;
  double a = 0.5;
  for (int i = 0; i < 40; ++i, a = std::nextafter(a, 1.0)) {
    points.push_back({a, i % 2 == 0 ? 0.25 : 0.75});
    values.push_back(i);
  }
  const std::vector<double> found = parameter_importances(space, points, values, 0);
  EXPECT_NEAR(found[0] + found[1], 1, 1e-9);
}

}  // namespace
}  // namespace chop
