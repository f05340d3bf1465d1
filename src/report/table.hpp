// Tables as data: filled once, then drawn for people or written for programs.
#pragma once

#include <concepts>
#include <variant>

#include "support/tree.hpp"

namespace chop::report {

/// A value and the text that shows it. The text is for people; CSV and JSON hold the value.
struct Cell {
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

  Cell() = default;  ///< no value: an empty cell, null in JSON
  Cell(std::string words) : value(words), text(std::move(words)) {}
  Cell(std::string_view words) : Cell(std::string(words)) {}
  Cell(const char* words) : Cell(std::string(words)) {}
  Cell(bool truth) : value(truth), text(truth ? "True" : "False") {}
  Cell(std::integral auto number)
      : value(static_cast<std::int64_t>(number)), text(std::to_string(number)) {}
  /// Shown as Python's repr does: 0.01, 1e-05.
  Cell(double number);
  /// Shown with `decimals` digits after the point.
  Cell(double number, int decimals);
  /// Any value, shown as `shown`.
  Cell(Value content, std::string shown) : value(std::move(content)), text(std::move(shown)) {}

  bool is_number() const { return value.index() == 2 || value.index() == 3; }

  Value value;
  std::string text;
  std::string style = {};  ///< ANSI code of the drawn cell, such as "38;5;8"; may be empty
};

/// Auto: numbers to the right with their points in line, everything else to the left.
enum class Align { Auto, Left, Centre, Right };

struct Column {
  std::string header;
  Align align = Align::Auto;
  int wrap = 0;          ///< longest line of a cell in columns; 0: never wrapped
  std::string key = {};  ///< name in CSV and JSON; the header when empty
  bool drawn = true;     ///< false: in CSV and JSON alone
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows = {};  ///< a short row ends in empty cells
};

/// The styles of Python's tabulate under the names it gives them ("pipe" is Markdown).
/// Pretty centres what is Auto, as tabulate does. Latex is report/latex.hpp.
enum class TableStyle { Pretty, Simple, Grid, Orgtbl, Markdown, Latex };

struct RenderOptions {
  TableStyle style = TableStyle::Pretty;
  bool colour = false;  ///< obey Cell::style
  /// Columns of the screen that a Simple table has to fit in: headers and texts are wrapped, then
  /// columns that still find no room follow below, behind the first column once more. The other
  /// styles are as wide as their contents.
  int width = 80;
};

/// The drawn table; every line ends in a newline.
std::string render(const Table& table, const RenderOptions& options = {});

/// Header line and rows, quoted as RFC 4180 says; lines end in "\n".
std::string to_csv(const Table& table);
/// A list with one table per row, keys in column order. NaN and infinities become nothing.
Tree tree_of(const Table& table);

/// Lines of at most `width` columns, broken as Python's textwrap does: at spaces and after
/// hyphens inside words, and within a word only when it is longer than a line.
std::vector<std::string> wrap_text(std::string_view text, int width);

}  // namespace chop::report
