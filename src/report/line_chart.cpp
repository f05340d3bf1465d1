// Line charts.
#include <set>

#include "report/svg.hpp"
#include "report/svg_parts.hpp"
#include "report/table.hpp"

namespace chop::report {
namespace {

using svg::Anchor;
using svg::number;
using svg::Tick;

constexpr std::array<std::string_view, 4> kDashes = {"", "7 4", "2 3", "9 3 2 3"};

constexpr double kLegendLine = 17;
constexpr double kLegendGap = 6;
constexpr int kLegendLetters = 38;
constexpr double kTop = 56;
constexpr double kBottom = 58;
constexpr std::size_t kMostMarkers = 40;
// Ranges between such values, with their margins, are still doubles.
constexpr double kLargestDrawn = 1e250;
constexpr double kSmallestLog = 1e-250;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

struct Plot {
  const LineChart& chart;
  Range x, y;  ///< of what is shown; y in powers of ten when log_y
  bool whole_x = true;
  double left = 0, right = 0, top = kTop, bottom = 0;
  std::vector<Tick> y_ticks;
  std::vector<std::vector<std::string>> legend;  ///< lines of each entry

  bool drawable(double px, double py) const {
    const auto fits = [](double value) { return std::abs(value) < kLargestDrawn; };  // no NaN
    return fits(px) && fits(py) && (!chart.log_y || py > kSmallestLog);
  }
  double x_at(double value) const {
    return left + (value - x.low) / (x.high - x.low) * (right - left);
  }
  double y_at(double value) const {
    const double v = chart.log_y ? std::log10(value) : value;
    return bottom - (v - y.low) / (y.high - y.low) * (bottom - top);
  }
};

std::string_view colour_of(std::size_t series) {
  return svg::kColours.at(series % svg::kColours.size());
}

std::string_view dash_of(std::size_t series) {
  return kDashes.at(series / svg::kColours.size() % kDashes.size());
}

/// Widens an empty range, so that a single value is in the middle.
void widen(Range& range, double margin) {
  if (range.empty()) range = {.low = 0, .high = 1};
  if (range.low == range.high) {
    const double room = range.low == 0 ? 0.5 : 0.1 * std::abs(range.low);
    range = {.low = range.low - room, .high = range.high + room};
    return;
  }
  const double room = margin * (range.high - range.low);
  range = {.low = range.low - room, .high = range.high + room};
}

void measure_data(Plot& plot) {
  for (const Series& series : plot.chart.series) {
    assert(series.x.size() == series.y.size() && "a series has as many x as y");
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!plot.drawable(series.x[i], series.y[i])) continue;
      plot.x.add(series.x[i]);
      plot.y.add(plot.chart.log_y ? std::log10(series.y[i]) : series.y[i]);
      plot.whole_x = plot.whole_x && series.x[i] == std::floor(series.x[i]);
    }
  }
  const bool from_zero = !plot.chart.log_y && plot.y.low >= 0;
  widen(plot.x, 0);
  widen(plot.y, 0.06);
  if (from_zero) plot.y.low = std::max(plot.y.low, 0.0);  // no room below zero for losses
}

/// Returns the picture's height.
double lay_out(Plot& plot) {
  const LineChart& chart = plot.chart;
  double legend_width = 0;
  double legend_height = 0;
  if (chart.series.size() > 1) {
    for (const Series& series : chart.series) {
      const auto& lines = plot.legend.emplace_back(wrap_text(series.name, kLegendLetters));
      for (const std::string& line : lines)
        legend_width = std::max(legend_width, svg::text_width(line, 12) + 50);
      legend_height += kLegendLine * static_cast<double>(lines.size()) + kLegendGap;
    }
  }
  const double height = std::max<double>(chart.height, kTop + legend_height + 24);
  plot.bottom = height - kBottom;
  const int rows = std::max(3, static_cast<int>((plot.bottom - plot.top) / 60));
  plot.y_ticks = chart.log_y ? svg::log_ticks(std::pow(10, plot.y.low), std::pow(10, plot.y.high))
                             : svg::linear_ticks(plot.y.low, plot.y.high, rows);
  double label_width = 0;
  for (const Tick& tick : plot.y_ticks)
    label_width = std::max(label_width, svg::text_width(tick.label, 12));
  plot.left = 24 + (chart.y_label.empty() ? 0 : 22) + label_width + 8;
  plot.right = std::max(plot.left + 120, chart.width - legend_width - 24);
  return height;
}

void draw_axes(const Plot& plot, svg::Canvas& canvas) {
  const LineChart& chart = plot.chart;
  for (const Tick& tick : plot.y_ticks) {
    const double y = plot.y_at(tick.at);
    canvas.line(plot.left, y, plot.right, y, svg::kGrid);
    canvas.text(plot.left - 8, y + 4, tick.label, {.fill = svg::kFaint, .anchor = Anchor::End});
  }
  const std::vector<Tick> widest = svg::linear_ticks(plot.x.low, plot.x.high, 10, plot.whole_x);
  double label = 24;
  for (const Tick& tick : widest) label = std::max(label, svg::text_width(tick.label, 12));
  const int columns =
      std::clamp(static_cast<int>((plot.right - plot.left) / (1.5 * label + 28)), 2, 10);
  for (const Tick& tick : svg::linear_ticks(plot.x.low, plot.x.high, columns, plot.whole_x)) {
    const double x = plot.x_at(tick.at);
    canvas.line(x, plot.bottom, x, plot.bottom + 5, svg::kAxis);
    canvas.text(x, plot.bottom + 20, tick.label, {.fill = svg::kFaint, .anchor = Anchor::Middle});
  }
  canvas.line(plot.left, plot.bottom, plot.right, plot.bottom, svg::kAxis);
  const double middle = (plot.left + plot.right) / 2;
  canvas.text(plot.left, 32, chart.title, {.size = 17, .bold = true});
  canvas.text(middle, plot.bottom + 44, chart.x_label, {.size = 13, .anchor = Anchor::Middle});
  canvas.text(26, (plot.top + plot.bottom) / 2, chart.y_label,
              {.size = 13, .anchor = Anchor::Middle, .rotate = -90});
}

struct Point {
  double x = 0, y = 0;
};

/// The drawn points of a series in runs without gaps. Of points that fall on one column of
/// pixels only the first, lowest, highest and last are kept: the others would be invisible.
std::vector<std::vector<Point>> runs_of(const Plot& plot, const Series& series) {
  std::vector<std::vector<Point>> runs;
  std::vector<Point> column;
  const auto flush = [&] {
    if (column.empty()) return;
    const auto by_y = [](const Point& a, const Point& b) { return a.y < b.y; };
    auto [low, high] = std::minmax_element(column.begin(), column.end(), by_y);
    if (high < low) std::swap(low, high);
    const Point kept[] = {column.front(), *low, *high, column.back()};
    std::vector<Point>& run = runs.back();
    for (const Point& point : kept)
      if (run.empty() || run.back().x != point.x || run.back().y != point.y) run.push_back(point);
    column.clear();
  };
  bool gap = true;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!plot.drawable(series.x[i], series.y[i])) {
      flush();
      gap = true;
      continue;
    }
    const Point point = {plot.x_at(series.x[i]), plot.y_at(series.y[i])};
    if (gap || (!column.empty() && std::floor(column.front().x) != std::floor(point.x))) flush();
    if (gap) runs.emplace_back();
    gap = false;
    column.push_back(point);
  }
  flush();
  return runs;
}

/// Dots that fall on one another are drawn once.
void draw_dots(const Plot& plot, std::size_t index, svg::Canvas& canvas) {
  const Series& series = plot.chart.series[index];
  std::set<std::pair<std::string, std::string>> drawn;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!plot.drawable(series.x[i], series.y[i])) continue;
    const std::string x = number(plot.x_at(series.x[i]));
    const std::string y = number(plot.y_at(series.y[i]));
    if (drawn.emplace(x, y).second)
      canvas.raw(cat("<circle cx=\"", x, "\" cy=\"", y, "\" r=\"3\" fill=\"", colour_of(index),
                     "\" fill-opacity=\"0.35\"/>"));
  }
}

void draw_series(const Plot& plot, std::size_t index, svg::Canvas& canvas) {
  if (plot.chart.series[index].mark == Mark::Dots) return draw_dots(plot, index, canvas);
  const std::string_view colour = colour_of(index);
  const std::string dash =
      dash_of(index).empty() ? "" : cat(" stroke-dasharray=\"", dash_of(index), "\"");
  const bool markers = plot.chart.series[index].x.size() <= kMostMarkers;
  for (const std::vector<Point>& run : runs_of(plot, plot.chart.series[index])) {
    std::string points;
    for (const Point& point : run)
      points += cat(points.empty() ? "" : " ", number(point.x), ",", number(point.y));
    if (run.size() > 1)
      canvas.raw(cat("<polyline points=\"", points, "\" fill=\"none\" stroke=\"", colour,
                     "\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke-linecap=\"round\"",
                     dash, "/>"));
    for (const Point& point : run)
      if (markers || run.size() == 1)
        canvas.raw(cat("<circle cx=\"", number(point.x), "\" cy=\"", number(point.y),
                       "\" r=\"2.8\" fill=\"", colour, "\"/>"));
  }
}

void draw_legend(const Plot& plot, svg::Canvas& canvas) {
  const double x = plot.right + 20;
  double y = plot.top + 10;
  for (std::size_t i = 0; i < plot.legend.size(); ++i) {
    if (plot.chart.series[i].mark == Mark::Dots)
      canvas.raw(cat("<circle cx=\"", number(x + 11), "\" cy=\"", number(y - 4),
                     "\" r=\"4\" fill=\"", colour_of(i), "\" fill-opacity=\"0.5\"/>"));
    else
      canvas.line(x, y - 4, x + 22, y - 4, colour_of(i), 2.5, dash_of(i));
    for (const std::string& line : plot.legend[i]) {
      canvas.text(x + 30, y, line);
      y += kLegendLine;
    }
    y += kLegendGap;
  }
}

}  // namespace

std::string to_svg(const LineChart& chart) {
  Plot plot{.chart = chart};
  measure_data(plot);
  const double height = lay_out(plot);
  svg::Canvas canvas;
  draw_axes(plot, canvas);
  bool any = false;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    draw_series(plot, i, canvas);
    for (std::size_t k = 0; k < chart.series[i].x.size(); ++k)
      any = any || plot.drawable(chart.series[i].x[k], chart.series[i].y[k]);
  }
  if (!any)
    canvas.text((plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2, "no data",
                {.size = 14, .fill = svg::kFaint, .anchor = Anchor::Middle});
  draw_legend(plot, canvas);
  return canvas.finish(chart.width, height, chart.title);
}

}  // namespace chop::report
