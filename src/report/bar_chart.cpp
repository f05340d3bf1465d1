// Bar charts.
#include "report/svg.hpp"
#include "report/svg_parts.hpp"
#include "report/table.hpp"

namespace chop::report {
namespace {

constexpr double kTopMargin = 56;
constexpr double kBar = 14;
constexpr double kGap = 10;

struct BarLayout {
  double left = 0, right = 0, height = 0;
  double most = 1;   ///< the value at the right end
  double group = 0;  ///< height of the bars of one name
};

BarLayout lay_out(const BarChart& chart) {
  BarLayout layout;
  double names = 40;
  for (const std::string& name : chart.names) names = std::max(names, svg::text_width(name, 12));
  layout.left = std::min(32 + names, 0.6 * chart.width);
  layout.right = chart.width - 70;
  double most = 0;
  for (const BarChart::Bars& bars : chart.series)
    for (const double value : bars.values) most = std::max(most, value);
  layout.most = most > 0 ? most : 1;
  layout.group = kBar * static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
  const double legend = chart.series.size() > 1 ? 24 : 0;
  layout.height =
      kTopMargin + legend + static_cast<double>(chart.names.size()) * (layout.group + kGap) + 52;
  return layout;
}

double draw_legend(const BarChart& chart, const BarLayout& layout, svg::Canvas& canvas) {
  if (chart.series.size() < 2) return kTopMargin;
  double x = layout.left;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    canvas.box(x, kTopMargin - 8, 12, 12, svg::kColours.at(s % svg::kColours.size()), 2);
    canvas.text(x + 18, kTopMargin + 2, chart.series[s].name);
    x += 40 + svg::text_width(chart.series[s].name, 12);
  }
  return kTopMargin + 24;
}

void draw_bars(const BarChart& chart, const BarLayout& layout, double top, svg::Canvas& canvas) {
  const double scale = (layout.right - layout.left) / layout.most;
  for (std::size_t i = 0; i < chart.names.size(); ++i) {
    const double y = top + static_cast<double>(i) * (layout.group + kGap);
    canvas.text(layout.left - 8, y + layout.group / 2 + 4, chart.names[i],
                {.anchor = svg::Anchor::End});
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      const double value = chart.series[s].values[i];
      const double at = y + kBar * static_cast<double>(s);
      canvas.box(layout.left, at + 1, std::max(1.0, value * scale), kBar - 2,
                 svg::kColours.at(s % svg::kColours.size()), 2);
      canvas.text(layout.left + value * scale + 6, at + kBar - 3, Cell(value, 3).text,
                  {.size = 11, .fill = svg::kFaint});
    }
  }
}

}  // namespace

std::string to_svg(const BarChart& chart) {
  const BarLayout layout = lay_out(chart);
  svg::Canvas canvas;
  canvas.text(24, 32, chart.title, {.size = 17, .bold = true});
  const double top = draw_legend(chart, layout, canvas);
  if (chart.names.empty())
    canvas.text(chart.width / 2.0, top + 10, "no data",
                {.size = 14, .fill = svg::kFaint, .anchor = svg::Anchor::Middle});
  draw_bars(chart, layout, top, canvas);
  canvas.line(layout.left, top - 4, layout.left, layout.height - 44, svg::kAxis);
  canvas.text((layout.left + layout.right) / 2, layout.height - 18, chart.x_label,
              {.size = 13, .anchor = svg::Anchor::Middle});
  return canvas.finish(chart.width, layout.height, chart.title);
}

}  // namespace chop::report
