// Drawing tables in the styles of Python's tabulate.
#include <numeric>

#include "report/latex.hpp"
#include "report/table_style.hpp"
#include "support/display.hpp"
#include "support/terminal_text.hpp"
#include "support/text.hpp"

namespace chop::report {
namespace {

/// One cell ready to be drawn: its lines, unstyled.
using Lines = std::vector<std::string>;

struct TableLayout {
  DrawnStyle style;
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

Lines cell_lines(const std::string& given, int wrap, TableStyle style) {
  const std::string text = for_terminal(given);
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

constexpr int kNarrowest = 14;  ///< of a column whose texts are wrapped to fit the screen

int widest(const std::vector<Lines>& cells) {
  int width = 0;
  for (const Lines& lines : cells)
    for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

/// The width that each column's cells have to be wrapped at for the table to fit in `screen`
/// columns: headers go first, then the widest columns of texts are made narrower.
std::vector<int> fitting_widths(const Table& table, const TableLayout& layout, int screen) {
  const auto count = static_cast<int>(table.columns.size());
  int room = screen - (count - 1) * display_width(layout.style.separator);
  std::vector<int> widths;
  std::vector<bool> texts;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    int width = 0;
    for (const std::string& word : split(table.columns[c].header, ' '))
      width = std::max(width, display_width(word));
    bool text = false;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      width = std::max(width, widest({layout.rows[r][c]}));
      text = text || (c < table.rows[r].size() && !table.rows[r][c].is_number());
    }
    widths.push_back(width);
    texts.push_back(text);
    room -= width;
  }
  while (room < 0) {
    std::size_t most = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (texts[c] && widths[c] > kNarrowest && (most == widths.size() || widths[c] > widths[most]))
        most = c;
    if (most == widths.size()) break;
    --widths[most];
    ++room;
  }
  return widths;
}

void fit(const Table& table, TableLayout& layout, int screen) {
  const std::vector<int> widths = fitting_widths(table, layout, screen);
  layout.style.header_room = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    layout.header[c] = wrap_text(for_terminal(table.columns[c].header), widths[c]);
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      if (widest({layout.rows[r][c]}) > widths[c])
        layout.rows[r][c] = wrap_text(for_terminal(table.rows[r][c].text), widths[c]);
  }
}

void measure(TableLayout& layout) {
  layout.widths.clear();
  for (std::size_t c = 0; c < layout.header.size(); ++c) {
    int width = widest({layout.header[c]}) + layout.style.header_room;
    for (const auto& row : layout.rows) width = std::max(width, widest({row[c]}));
    layout.widths.push_back(width);
  }
}

int width_of(const TableLayout& layout) {
  const int gaps = static_cast<int>(layout.widths.size() - 1);
  return std::accumulate(layout.widths.begin(), layout.widths.end(),
                         gaps * display_width(layout.style.separator));
}

TableLayout lay_out(const Table& table, const RenderOptions& options) {
  const TableStyle name = options.style;
  TableLayout layout{.style = drawn_style(name), .name = name};
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
  for (std::size_t c = 0; c < table.columns.size(); ++c) align_points(table, c, layout);
  measure(layout);
  if (name == TableStyle::Simple && width_of(layout) > options.width) {
    fit(table, layout, options.width);
    measure(layout);
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

void add_rule(std::string& out, const TableLayout& layout, const TableRule& rule) {
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

std::string draw(const Table& table, const TableLayout& layout, bool colour) {
  std::string out;
  add_rule(out, layout, layout.style.top);
  add_row(out, layout, layout.header, std::vector<std::string_view>(layout.header.size()));
  add_rule(out, layout, layout.style.below_header);
  for (std::size_t r = 0; r < layout.rows.size(); ++r) {
    if (r > 0) add_rule(out, layout, layout.style.between_rows);
    std::vector<std::string_view> styles(table.columns.size());
    for (std::size_t c = 0; colour && c < std::min(styles.size(), table.rows[r].size()); ++c)
      styles[c] = table.rows[r][c].style;
    add_row(out, layout, layout.rows[r], styles);
  }
  add_rule(out, layout, layout.style.bottom);
  return out;
}

Table columns_of(const Table& table, const std::vector<std::size_t>& wanted) {
  Table part;
  for (const std::size_t c : wanted) part.columns.push_back(table.columns[c]);
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<Cell>& cells = part.rows.emplace_back();
    for (const std::size_t c : wanted) cells.push_back(c < row.size() ? row[c] : Cell());
  }
  return part;
}

/// Several tables below each other, each as wide as the screen allows.
std::string draw_in_parts(const Table& table, const RenderOptions& options) {
  std::string out;
  for (std::size_t next = 1; next < table.columns.size();) {
    std::vector<std::size_t> wanted = {0, next++};
    for (; next < table.columns.size(); ++next) {
      wanted.push_back(next);
      if (width_of(lay_out(columns_of(table, wanted), options)) <= options.width) continue;
      wanted.pop_back();
      break;
    }
    const Table part = columns_of(table, wanted);
    out += cat(out.empty() ? "" : "\n", draw(part, lay_out(part, options), options.colour));
  }
  return out;
}

}  // namespace

std::string render(const Table& whole, const RenderOptions& options) {
  std::vector<std::size_t> drawn;
  for (std::size_t c = 0; c < whole.columns.size(); ++c)
    if (whole.columns[c].drawn) drawn.push_back(c);
  if (drawn.empty()) return "";
  const Table table = columns_of(whole, drawn);
  if (options.style == TableStyle::Latex) return to_latex(table);
  const TableLayout layout = lay_out(table, options);
  const bool fits = options.style != TableStyle::Simple || width_of(layout) <= options.width;
  return fits ? draw(table, layout, options.colour) : draw_in_parts(table, options);
}

}  // namespace chop::report
