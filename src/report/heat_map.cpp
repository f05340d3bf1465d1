// A number for each pair of two settings, as coloured squares.
#include "report/heat_colours.hpp"
#include "report/svg.hpp"
#include "report/svg_parts.hpp"
#include "report/table.hpp"
#include "support/text.hpp"

namespace chop::report {
namespace {

using svg::Anchor;

constexpr double kCell = 84;
constexpr double kRow = 52;
constexpr std::string_view kNothing = "#f1f3f5";

struct Scale {
  double low = 0, high = 0;
  bool any = false;

  /// From 0, the worst, to 1, the best; 1 where all are equal.
  double share(double value, bool more_is_better) const {
    if (!(high > low)) return 1;
    const double part = (value - low) / (high - low);
    return more_is_better ? part : 1 - part;
  }
};

Scale scale_of(const HeatMap& map) {
  Scale scale;
  for (const std::vector<double>& row : map.values)
    for (const double value : row) {
      if (!std::isfinite(value)) continue;
      scale.low = scale.any ? std::min(scale.low, value) : value;
      scale.high = scale.any ? std::max(scale.high, value) : value;
      scale.any = true;
    }
  return scale;
}

struct Frame {
  double left = 0, top = 0, cell = kCell, width = 0, height = 0;
};

Frame frame_of(const HeatMap& map) {
  double rows = 0;
  double columns = 0;
  for (const std::string& name : map.rows) rows = std::max(rows, svg::text_width(name, 12));
  for (const std::string& name : map.columns)
    columns = std::max(columns, svg::text_width(name, 12));
  Frame frame{.left = 58 + rows, .top = 92, .cell = std::max(kCell, columns + 12)};
  frame.width = frame.cell * static_cast<double>(map.columns.size());
  frame.height = kRow * static_cast<double>(map.rows.size());
  return frame;
}

void draw_names(const HeatMap& map, const Frame& frame, svg::Canvas& canvas) {
  canvas.text(24, 32, map.title, {.size = 17, .bold = true});
  canvas.text(frame.left + frame.width / 2, 62, map.x_label,
              {.size = 13, .anchor = Anchor::Middle});
  canvas.text(26, frame.top + frame.height / 2, map.y_label,
              {.size = 13, .anchor = Anchor::Middle, .rotate = -90});
  for (std::size_t c = 0; c < map.columns.size(); ++c)
    canvas.text(frame.left + (static_cast<double>(c) + 0.5) * frame.cell, frame.top - 10,
                map.columns[c], {.fill = svg::kFaint, .anchor = Anchor::Middle});
  for (std::size_t r = 0; r < map.rows.size(); ++r)
    canvas.text(frame.left - 10, frame.top + (static_cast<double>(r) + 0.5) * kRow + 4, map.rows[r],
                {.fill = svg::kFaint, .anchor = Anchor::End});
}

/// The value of each pair; the best one is framed.
void draw_cells(const HeatMap& map, const Frame& frame, const Scale& scale, svg::Canvas& canvas) {
  const double best = map.more_is_better ? scale.high : scale.low;
  for (std::size_t r = 0; r < map.values.size(); ++r)
    for (std::size_t c = 0; c < map.values[r].size(); ++c) {
      const double value = map.values[r][c];
      const bool known = std::isfinite(value);
      const double share = known ? scale.share(value, map.more_is_better) : 0;
      const double x = frame.left + static_cast<double>(c) * frame.cell;
      const double y = frame.top + static_cast<double>(r) * kRow;
      canvas.box(x + 1, y + 1, frame.cell - 2, kRow - 2,
                 known ? heat_colour(0.08 + 0.72 * share) : std::string(kNothing), 3);
      if (known && value == best)
        canvas.raw(cat("<rect x=\"", svg::number(x + 2), "\" y=\"", svg::number(y + 2),
                       "\" width=\"", svg::number(frame.cell - 4), "\" height=\"",
                       svg::number(kRow - 4), "\" fill=\"none\" stroke=\"", svg::kInk,
                       "\" stroke-width=\"2\" rx=\"3\"/>"));
      canvas.text(x + frame.cell / 2, y + kRow / 2 + 4, known ? Cell(value, 4).text : "-",
                  {.size = 13,
                   .fill = share > 0.6 ? std::string_view("#ffffff") : svg::kInk,
                   .anchor = Anchor::Middle,
                   .bold = known && value == best});
    }
}

}  // namespace

std::string to_svg(const HeatMap& map) {
  assert(map.values.size() == map.rows.size() && "a list of values for each row");
  const Frame frame = frame_of(map);
  const Scale scale = scale_of(map);
  svg::Canvas canvas;
  draw_names(map, frame, canvas);
  draw_cells(map, frame, scale, canvas);
  const std::string note =
      cat("darker is better; the best is framed", map.note.empty() ? "" : "; ", map.note);
  const double bottom = frame.top + frame.height + 28;
  canvas.text(frame.left, bottom, note, {.fill = svg::kFaint});
  const double width = std::max({frame.left + frame.width + 24, 48 + svg::text_width(map.title, 17),
                                 frame.left + 24 + svg::text_width(note, 12)});
  return canvas.finish(width, bottom + 22, map.title);
}

}  // namespace chop::report
