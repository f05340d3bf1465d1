// Comparisons as text: formats of a node, and weights row by row.
#include <cstdio>

#include "analysis/compare/compare.hpp"
#include "formats/registry.hpp"
#include "support/text.hpp"

namespace chop::analysis {
namespace {

constexpr std::int64_t kPerLine = 8;  ///< a line then has 80 columns

/// "  before  -0.0312   0.1250 ..."
void add_line(std::string& text, const char* label, std::span<const double> values) {
  std::array<char, 64> number{};
  std::snprintf(number.data(), number.size(), "  %-6s", label);
  text += number.data();
  for (const double value : values) {
    std::snprintf(number.data(), number.size(), " %8.4f", value);
    text += number.data();
  }
  text += '\n';
}

void add_values(std::string& text, const Tensor& before, const Tensor& after, std::int64_t first,
                std::int64_t count) {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> change;
  for (std::int64_t i = first; i < first + count; ++i) {
    a.push_back(before.at(i));
    b.push_back(after.at(i));
    change.push_back(b.back() - a.back());
  }
  add_line(text, "before", a);
  add_line(text, "after", b);
  add_line(text, "change", change);
}

}  // namespace

std::string display_formats(const std::map<std::string, NumberFormat>& formats) {
  if (formats.empty()) return NumberFormat{}.name;
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const auto& [operand, format] : formats) {
    const std::string shown = display(format);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&shown](const auto& known) { return known.first == shown; });
    if (group == groups.end()) group = groups.insert(groups.end(), {shown, {}});
    group->second.push_back(operand);
  }
  if (groups.size() == 1) return groups[0].first;
  std::vector<std::string> parts;
  for (const auto& [shown, operands] : groups)
    parts.push_back(cat(join(operands, ", "), ": ", shown));
  return join(parts, "; ");
}

std::string rows_side_by_side(const Tensor& before, const Tensor& after) {
  const bool one_row = before.rank() < 2;
  const std::int64_t rows = one_row ? 1 : before.dim(0);
  const std::int64_t width = rows == 0 ? 0 : before.size() / rows;
  std::string text;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (!one_row) text += cat("row ", row, "\n");
    for (std::int64_t first = 0; first < width; first += kPerLine) {
      if (first > 0) text += '\n';
      add_values(text, before, after, row * width + first, std::min(kPerLine, width - first));
    }
  }
  return text;
}

}  // namespace chop::analysis
