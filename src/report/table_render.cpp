// Drawing tables in the styles of Python's tabulate.
#include <algorithm>

#include "report/table.hpp"
#include "support/display.hpp"

namespace chop::report {
namespace {

/// A horizontal rule; `fill` 0: the style has no rule here.
struct Rule {
  std::string_view begin = {};
  char fill = 0;
  std::string_view join = {};
  std::string_view end = {};
};

struct Style {
  Rule top, below_header, between_rows, bottom;
  std::string_view begin, separator, end;  ///< of a row of cells
  int padding = 1;
  int header_room = 2;  ///< a column is at least this much wider than its header
  bool centred = false;
};

constexpr Rule kPrettyRule = {"+", '-', "+", "+"};
constexpr Rule kGridHeaderRule = {"+", '=', "+", "+"};

Style style_of(TableStyle style) {
  switch (style) {
    case TableStyle::Pretty:
      return {.top = kPrettyRule,
              .below_header = kPrettyRule,
              .bottom = kPrettyRule,
              .begin = "|",
              .separator = "|",
              .end = "|",
              .header_room = 0,
              .centred = true};
    case TableStyle::Grid:
      return {.top = kPrettyRule,
              .below_header = kGridHeaderRule,
              .between_rows = kPrettyRule,
              .bottom = kPrettyRule,
              .begin = "|",
              .separator = "|",
              .end = "|"};
    case TableStyle::Orgtbl:
      return {.below_header = {"|", '-', "+", "|"}, .begin = "|", .separator = "|", .end = "|"};
    case TableStyle::Markdown:
      return {.below_header = {"|", '-', "|", "|"}, .begin = "|", .separator = "|", .end = "|"};
    case TableStyle::Simple:
      break;
  }
  return {.below_header = {"", '-', "  ", ""}, .separator = "  ", .padding = 0};
}

/// One cell ready to be drawn: its lines, unstyled.
using Lines = std::vector<std::string>;

struct TableLayout {
  Style style;
  TableStyle name = TableStyle::Pretty;
  std::vector<Align> aligns;
  std::vector<int> widths;
  std::vector<Lines> header;
  std::vector<std::vector<Lines>> rows;
};

/// Digits after the point (or after the "e" of a number without one); -1 for whole numbers.
int digits_after_point(std::string_view text) {
  std::size_t at = text.rfind('.');
  if (at == std::string_view::npos) at = text.find_first_of("eE");
  return at == std::string_view::npos ? -1 : static_cast<int>(text.size() - at) - 1;
}

Align resolve(const Table& table, std::size_t column, bool centred) {
  if (table.columns[column].align != Align::Auto) return table.columns[column].align;
  if (centred) return Align::Centre;
  bool numbers = false;
  for (const auto& row : table.rows) {
    if (column >= row.size() || row[column].value.index() == 0) continue;
    if (!row[column].is_number()) return Align::Left;
    numbers = true;
  }
  return numbers ? Align::Right : Align::Left;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

Lines cell_lines(const std::string& text, int wrap, TableStyle style) {
  if (style == TableStyle::Markdown)  // one line, and no bar that would end the cell
    return {replace_all(replace_all(text, "|", "\\|"), "\n", "<br>")};
  return wrap_text(text, wrap);
}

/// Numbers of an Auto column end in as many spaces as bring their points in line.
void align_points(const Table& table, std::size_t column, TableLayout& layout) {
  const bool apply = table.columns[column].align == Align::Auto &&
                     layout.aligns[column] == Align::Right && table.columns[column].wrap == 0;
  if (!apply) return;
  int most = -1;
  for (const auto& row : layout.rows) most = std::max(most, digits_after_point(row[column][0]));
  for (std::size_t r = 0; r < layout.rows.size(); ++r) {
    std::string& text = layout.rows[r][column][0];
    const bool number = column < table.rows[r].size() && table.rows[r][column].is_number();
    text.append(static_cast<std::size_t>(most - (number ? digits_after_point(text) : -1)), ' ');
  }
}

TableLayout lay_out(const Table& table, TableStyle name) {
  TableLayout layout{.style = style_of(name), .name = name};
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    layout.aligns.push_back(resolve(table, c, layout.style.centred));
    layout.header.push_back(cell_lines(table.columns[c].header, table.columns[c].wrap, name));
  }
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<Lines>& lines = layout.rows.emplace_back();
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      lines.push_back(c < row.size() ? cell_lines(row[c].text, table.columns[c].wrap, name)
                                     : Lines{""});
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    align_points(table, c, layout);
    int width = 0;
    for (const std::string& line : layout.header[c])
      width = std::max(width, display_width(line) + layout.style.header_room);
    for (const auto& row : layout.rows)
      for (const std::string& line : row[c]) width = std::max(width, display_width(line));
    layout.widths.push_back(width);
  }
  return layout;
}

std::string spaces(int count) {
  return std::string(static_cast<std::size_t>(std::max(0, count)), ' ');
}

std::string aligned(const std::string& text, int width, Align align, std::string_view style) {
  const int room = width - display_width(text);
  const int left = align == Align::Right ? room : align == Align::Centre ? room / 2 : 0;
  std::string out = spaces(left);
  if (!style.empty() && !text.empty()) out.append("\x1b[").append(style).append("m");
  out += text;
  if (!style.empty() && !text.empty()) out += "\x1b[0m";
  return out + spaces(room - left);
}

void add_rule(std::string& out, const TableLayout& layout, const Rule& rule) {
  if (rule.fill == 0) return;
  out += rule.begin;
  for (std::size_t c = 0; c < layout.widths.size(); ++c) {
    if (c > 0) out += rule.join;
    const int width = layout.widths[c] + 2 * layout.style.padding;
    std::string segment(static_cast<std::size_t>(std::max(width, 0)), rule.fill);
    if (layout.name == TableStyle::Markdown) {
      if (layout.aligns[c] != Align::Right) segment.front() = ':';
      if (layout.aligns[c] != Align::Left) segment.back() = ':';
    }
    out += segment;
  }
  out.append(rule.end).append("\n");
}

void add_row(std::string& out, const TableLayout& layout, const std::vector<Lines>& cells,
             const std::vector<std::string_view>& styles) {
  std::size_t height = 1;
  for (const Lines& lines : cells) height = std::max(height, lines.size());
  for (std::size_t k = 0; k < height; ++k) {
    std::string line(layout.style.begin);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line += layout.style.separator;
      const std::string text = k < cells[c].size() ? cells[c][k] : "";
      line += spaces(layout.style.padding);
      line += aligned(text, layout.widths[c], layout.aligns[c], styles[c]);
      line += spaces(layout.style.padding);
    }
    line += layout.style.end;
    line.erase(line.find_last_not_of(' ') + 1);
    out.append(line).append("\n");
  }
}

}  // namespace

std::string render(const Table& table, const RenderOptions& options) {
  if (table.columns.empty()) return "";
  const TableLayout layout = lay_out(table, options.style);
  std::string out;
  add_rule(out, layout, layout.style.top);
  add_row(out, layout, layout.header, std::vector<std::string_view>(layout.header.size()));
  add_rule(out, layout, layout.style.below_header);
  for (std::size_t r = 0; r < layout.rows.size(); ++r) {
    if (r > 0) add_rule(out, layout, layout.style.between_rows);
    std::vector<std::string_view> styles(table.columns.size());
    for (std::size_t c = 0; options.colour && c < std::min(styles.size(), table.rows[r].size());
         ++c)
      styles[c] = table.rows[r][c].style;
    add_row(out, layout, layout.rows[r], styles);
  }
  add_rule(out, layout, layout.style.bottom);
  return out;
}

}  // namespace chop::report
