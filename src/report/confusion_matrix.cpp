// Confusion matrices as heat maps.
#include <cstdio>

#include "report/heat_colours.hpp"
#include "report/svg.hpp"
#include "report/svg_parts.hpp"
#include "support/result.hpp"
#include "support/text.hpp"

namespace chop::report {
namespace {

using svg::Anchor;

constexpr double kSmallestCell = 14;
constexpr double kLargestCell = 84;
constexpr double kCellWithText = 40;  ///< smaller cells show their colour alone

/// 81.37 % as "81.4%"; the whole as "100%".
std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), share > 0 && share < 0.9995 ? "%.1f%%" : "%.0f%%",
                100 * share);
  return text.data();
}

/// A count that fits in a cell: 12345 as "12,345", or "12.3k" when that is too long.
std::string count_text(std::int64_t count, double room) {
  std::string full = with_commas(count);
  if (svg::text_width(full, 13) <= room) return full;
  static constexpr std::array<const char*, 4> kUnits = {"", "k", "M", "G"};
  auto size = static_cast<double>(count);
  std::size_t unit = 0;
  for (; size >= 999.5 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), size < 99.95 && unit > 0 ? "%.1f%s" : "%.0f%s", size,
                kUnits.at(unit));
  return text.data();
}

struct MatrixLayout {
  double cell = 0, left = 0, top = 0, side = 0;
  double slant = 0;  ///< degrees by which class names too long for a column are turned
};

MatrixLayout lay_out(const ConfusionMatrix& matrix) {
  const auto n = static_cast<double>(std::max<std::size_t>(1, matrix.classes.size()));
  MatrixLayout layout{.cell = std::clamp(560 / n, kSmallestCell, kLargestCell)};
  double longest = 0;
  for (const std::string& name : matrix.classes)
    longest = std::max(longest, svg::text_width(name, 12));
  if (longest > layout.cell - 6) layout.slant = layout.cell < 24 ? -90 : -45;
  layout.left = 58 + longest;
  layout.top = 84 + (layout.slant == 0 ? 12 : layout.slant == -90 ? longest : 0.75 * longest);
  layout.side = layout.cell * n;
  return layout;
}

void draw_labels(const ConfusionMatrix& matrix, const MatrixLayout& layout, svg::Canvas& canvas) {
  canvas.text(24, 32, matrix.title, {.size = 17, .bold = true});
  canvas.text(layout.left + layout.side / 2, 62, "predicted",
              {.size = 13, .anchor = Anchor::Middle});
  canvas.text(26, layout.top + layout.side / 2, "true",
              {.size = 13, .anchor = Anchor::Middle, .rotate = -90});
  for (std::size_t i = 0; i < matrix.classes.size(); ++i) {
    const double middle = (static_cast<double>(i) + 0.5) * layout.cell;
    canvas.text(layout.left - 10, layout.top + middle + 4, matrix.classes[i],
                {.fill = svg::kFaint, .anchor = Anchor::End});
    if (layout.slant != 0)
      canvas.text(layout.left + middle + 4, layout.top - 8, matrix.classes[i],
                  {.fill = svg::kFaint, .rotate = layout.slant});
    else
      canvas.text(layout.left + middle, layout.top - 10, matrix.classes[i],
                  {.fill = svg::kFaint, .anchor = Anchor::Middle});
  }
}

void draw_row(const std::vector<std::int64_t>& counts, std::size_t row, const MatrixLayout& layout,
              svg::Canvas& canvas) {
  double total = 0;
  for (const std::int64_t count : counts) total += static_cast<double>(count);
  for (std::size_t column = 0; column < counts.size(); ++column) {
    const double share = total > 0 ? static_cast<double>(counts[column]) / total : 0;
    const double x = layout.left + static_cast<double>(column) * layout.cell;
    const double y = layout.top + static_cast<double>(row) * layout.cell;
    canvas.box(x + 1, y + 1, layout.cell - 2, layout.cell - 2, heat_colour(share),
               layout.cell > 30 ? 3 : 0);
    if (layout.cell < kCellWithText) continue;
    const std::string_view ink = share > 0.5 ? "#ffffff" : svg::kInk;
    const double middle = x + layout.cell / 2;
    const bool roomy = layout.cell >= 52;
    canvas.text(middle, y + layout.cell / 2 + (roomy ? -1 : 4),
                count_text(counts[column], layout.cell - 8),
                {.size = roomy ? 13.0 : 11.0,
                 .fill = ink,
                 .anchor = Anchor::Middle,
                 .bold = row == column});
    if (roomy)
      canvas.text(middle, y + layout.cell / 2 + 15, percent(share),
                  {.size = 11, .fill = ink, .anchor = Anchor::Middle});
  }
}

/// The bar that says what the colours mean.
void draw_scale(const MatrixLayout& layout, svg::Canvas& canvas) {
  constexpr int kSteps = 50;
  const double x = layout.left + layout.side + 26;
  const double height = std::max(layout.side, 120.0);
  for (int i = 0; i < kSteps; ++i)
    canvas.box(x, layout.top + height * i / kSteps, 14, height / kSteps + 0.5,
               heat_colour(1 - (i + 0.5) / kSteps));
  for (const int hundredths : {0, 25, 50, 75, 100}) {
    // The labels at the ends stay within the height of the bar.
    const double nudge = hundredths == 100 ? 10 : hundredths == 0 ? 0 : 4;
    canvas.text(x + 20, layout.top + height * (100 - hundredths) / 100 + nudge,
                cat(hundredths, "%"), {.size = 11, .fill = svg::kFaint});
  }
  canvas.text(x + 66, layout.top + height / 2, "share of the true class",
              {.size = 12, .fill = svg::kFaint, .anchor = Anchor::Middle, .rotate = 90});
}

}  // namespace

std::string to_svg(const ConfusionMatrix& matrix) {
  assert(matrix.counts.size() == matrix.classes.size() && "one row of counts per class");
  const MatrixLayout layout = lay_out(matrix);
  svg::Canvas canvas;
  draw_labels(matrix, layout, canvas);
  for (std::size_t row = 0; row < matrix.counts.size(); ++row) {
    assert(matrix.counts[row].size() == matrix.classes.size() && "one count per pair of classes");
    draw_row(matrix.counts[row], row, layout, canvas);
  }
  draw_scale(layout, canvas);
  const double width =
      std::max(layout.left + layout.side + 120, 48 + svg::text_width(matrix.title, 17));
  return canvas.finish(width, layout.top + std::max(layout.side, 120.0) + 28, matrix.title);
}

}  // namespace chop::report
