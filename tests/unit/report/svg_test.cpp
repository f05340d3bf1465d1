#include "report/svg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/svg_parts.hpp"

namespace chop {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::vector<std::string> labels(const std::vector<svg::Tick>& ticks) {
  std::vector<std::string> texts;
  for (const svg::Tick& tick : ticks) texts.push_back(tick.label);
  return texts;
}

using Labels = std::vector<std::string>;

TEST(Ticks, AreRoundNumbers) {
  EXPECT_EQ(labels(svg::linear_ticks(0, 1, 5)), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(svg::linear_ticks(0.53, 1.8, 6)),
            (Labels{"0.6", "0.8", "1.0", "1.2", "1.4", "1.6", "1.8"}));
  EXPECT_EQ(labels(svg::linear_ticks(-1, 1, 4)), (Labels{"-1.0", "-0.5", "0", "0.5", "1.0"}));
  EXPECT_EQ(labels(svg::linear_ticks(0, 40000, 4)),
            (Labels{"0", "10,000", "20,000", "30,000", "40,000"}));
  EXPECT_EQ(labels(svg::linear_ticks(0, 3e-6, 3)), (Labels{"0", "1e-06", "2e-06", "3e-06"}));
}

TEST(Ticks, OfWholeNumbersAreWhole) {
  EXPECT_EQ(labels(svg::linear_ticks(0, 2, 10, true)), (Labels{"0", "1", "2"}));
}

TEST(Ticks, OfALogarithmicAxisArePowersOfTen) {
  EXPECT_EQ(labels(svg::log_ticks(1e-6, 1e-2)),
            (Labels{"1e-06", "1e-05", "0.0001", "0.001", "0.01"}));
  EXPECT_EQ(labels(svg::log_ticks(0.1, 1)), (Labels{"0.1", "0.2", "0.5", "1"}));
  EXPECT_EQ(labels(svg::log_ticks(1.3, 1.6)),
            (Labels{"1.30", "1.35", "1.40", "1.45", "1.50", "1.55", "1.60"}));
}

TEST(Ticks, SurviveNastyRanges) {
  for (const double low : {0.0, 1e300, -1e300, 1e-300, 1.0})
    for (const double span : {0.0, 1e-320, 1e-16, 1.0, 1e300})
      EXPECT_LE(svg::linear_ticks(low, low + span, 6).size(), 101u) << low << " " << span;
  EXPECT_TRUE(svg::linear_ticks(0, std::numeric_limits<double>::infinity(), 5).empty());
}

TEST(Svg, NumbersAreShortAndNeverMinusZero) {
  EXPECT_EQ(svg::number(1), "1");
  EXPECT_EQ(svg::number(1.5), "1.5");
  EXPECT_EQ(svg::number(1.0 / 3), "0.33");
  EXPECT_EQ(svg::number(-0.001), "0");
  EXPECT_EQ(svg::number(100), "100");
}

TEST(Svg, TextIsEscaped) {
  EXPECT_EQ(svg::escaped("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
  EXPECT_EQ(svg::escaped("µ\x01\xff"), "µ\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(svg::escaped("\x1b[31mred\x1b[0m"), "red");
}

TEST(LineChart, IsTheSameTextEveryTime) {
  const LineChart chart = {.title = "Loss",
                           .x_label = "epoch",
                           .y_label = "loss",
                           .series = {{"train", {0, 1, 2}, {1.5, 1.0, 0.75}}},
                           .width = 300,
                           .height = 220};
  EXPECT_EQ(
      to_svg(chart),
      R"SVG(<svg xmlns="http://www.w3.org/2000/svg" width="300" height="220" viewBox="0 0 300 220" font-family="Inter, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif">
<title>Loss</title>
<rect width="300" height="220" fill="#ffffff"/>
<line x1="74.16" y1="150.01" x2="276" y2="150.01" stroke="#e7eaee" stroke-width="1"/>
<text x="66.16" y="154.01" font-size="12" fill="#57606a" text-anchor="end">0.8</text>
<line x1="74.16" y1="124.77" x2="276" y2="124.77" stroke="#e7eaee" stroke-width="1"/>
<text x="66.16" y="128.77" font-size="12" fill="#57606a" text-anchor="end">1.0</text>
<line x1="74.16" y1="99.54" x2="276" y2="99.54" stroke="#e7eaee" stroke-width="1"/>
<text x="66.16" y="103.54" font-size="12" fill="#57606a" text-anchor="end">1.2</text>
<line x1="74.16" y1="74.3" x2="276" y2="74.3" stroke="#e7eaee" stroke-width="1"/>
<text x="66.16" y="78.3" font-size="12" fill="#57606a" text-anchor="end">1.4</text>
<line x1="74.16" y1="162" x2="74.16" y2="167" stroke="#8c959f" stroke-width="1"/>
<text x="74.16" y="182" font-size="12" fill="#57606a" text-anchor="middle">0</text>
<line x1="175.08" y1="162" x2="175.08" y2="167" stroke="#8c959f" stroke-width="1"/>
<text x="175.08" y="182" font-size="12" fill="#57606a" text-anchor="middle">1</text>
<line x1="276" y1="162" x2="276" y2="167" stroke="#8c959f" stroke-width="1"/>
<text x="276" y="182" font-size="12" fill="#57606a" text-anchor="middle">2</text>
<line x1="74.16" y1="162" x2="276" y2="162" stroke="#8c959f" stroke-width="1"/>
<text x="74.16" y="32" font-size="17" fill="#24292f" font-weight="600">Loss</text>
<text x="175.08" y="206" font-size="13" fill="#24292f" text-anchor="middle">epoch</text>
<text x="26" y="109" font-size="13" fill="#24292f" text-anchor="middle" transform="rotate(-90 26 109)">loss</text>
<polyline points="74.16,61.68 175.08,124.77 276,156.32" fill="none" stroke="#0b66c3" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/>
<circle cx="74.16" cy="61.68" r="2.8" fill="#0b66c3"/>
<circle cx="175.08" cy="124.77" r="2.8" fill="#0b66c3"/>
<circle cx="276" cy="156.32" r="2.8" fill="#0b66c3"/>
</svg>
)SVG");
}

TEST(LineChart, HasOneLinePerSeriesAndALegendForSeveral) {
  LineChart chart = {.title = "t", .series = {{"alpha", {0, 1}, {1, 2}}}};
  EXPECT_EQ(count(to_svg(chart), "<polyline"), 1u);
  EXPECT_EQ(count(to_svg(chart), ">alpha<"), 0u);
  chart.series.push_back({"beta", {0, 1}, {2, 1}});
  EXPECT_EQ(count(to_svg(chart), "<polyline"), 2u);
  EXPECT_EQ(count(to_svg(chart), ">alpha<"), 1u);
  EXPECT_EQ(count(to_svg(chart), ">beta<"), 1u);
}

TEST(LineChart, BreaksTheLineAtValuesItCannotDraw) {
  const double nan = std::nan("");
  const LineChart gap = {.series = {{"", {0, 1, 2, 3, 4}, {1, 2, nan, 2, 1}}}};
  EXPECT_EQ(count(to_svg(gap), "<polyline"), 2u);
  const LineChart log = {.series = {{"", {0, 1, 2, 3}, {1, 0, -1, 2}}}, .log_y = true};
  EXPECT_EQ(count(to_svg(log), "<polyline"), 0u);
  EXPECT_EQ(count(to_svg(log), "<circle"), 2u);
}

TEST(LineChart, SaysThatThereIsNoData) {
  EXPECT_EQ(count(to_svg(LineChart{.title = "t"}), ">no data<"), 1u);
  EXPECT_EQ(count(to_svg(LineChart{.series = {{"", {0}, {std::nan("")}}}}), ">no data<"), 1u);
  EXPECT_EQ(count(to_svg(LineChart{.series = {{"", {3}, {0}}}}), "<circle"), 1u);
}

TEST(LineChart, NeverWritesNanOrInfinity) {
  const double huge = std::numeric_limits<double>::max();
  for (const double y : {0.0, -0.0, 1e-240, 1e-300, 1e240, 1e300, 5e-324, huge}) {
    for (const bool log_y : {false, true}) {
      const std::string text =
          to_svg(LineChart{.series = {{"", {0, 1, 2}, {y, 2 * y, 1}}}, .log_y = log_y});
      EXPECT_EQ(text.find("nan"), std::string::npos) << y;
      EXPECT_EQ(text.find("inf"), std::string::npos) << y;
    }
  }
}

TEST(LineChart, KeepsLongSeriesShort) {
  Series series;
  for (int i = 0; i < 100000; ++i) {
    series.x.push_back(i);
    series.y.push_back(std::sin(i * 0.7) + (i == 54321 ? 9 : 0));
  }
  const std::string text = to_svg(LineChart{.series = {series}});
  EXPECT_LT(text.size(), 80000u);
  EXPECT_EQ(count(text, "<circle"), 0u);
}

TEST(LineChart, GrowsWithItsLegend) {
  LineChart chart;
  for (int i = 0; i < 60; ++i) chart.series.push_back({"run " + std::to_string(i), {0, 1}, {0, 1}});
  EXPECT_NE(to_svg(chart).find("height=\"1460\""), std::string::npos);
}

TEST(ConfusionMatrixPicture, ShowsCountsAndShares) {
  const std::string text =
      to_svg(ConfusionMatrix{.title = "m", .classes = {"a", "b"}, .counts = {{3, 1}, {0, 12345}}});
  EXPECT_EQ(count(text, ">75.0%<"), 1u);
  EXPECT_EQ(count(text, ">12,345<"), 1u);
  EXPECT_EQ(count(text, ">predicted<"), 1u);
  EXPECT_EQ(count(text, ">true<"), 1u);
}

TEST(ConfusionMatrixPicture, AcceptsClassesWithoutSamples) {
  const std::string text =
      to_svg(ConfusionMatrix{.title = "m", .classes = {"a", "b"}, .counts = {{0, 0}, {0, 0}}});
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(to_svg(ConfusionMatrix{}).find("nan"), std::string::npos);
}

TEST(ConfusionMatrixPicture, LeavesOutNumbersThatWouldNotFit) {
  const std::size_t n = 40;
  ConfusionMatrix matrix = {.classes = std::vector<std::string>(n, "class"),
                            .counts = std::vector(n, std::vector<std::int64_t>(n, 7))};
  EXPECT_EQ(count(to_svg(matrix), ">7<"), 0u);
}

}  // namespace
}  // namespace chop
