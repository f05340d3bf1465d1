#include "report/latex.hpp"

namespace chop::report {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\textbackslash{}";
    else if (c == '~' || c == '^')
      out.append("\\").append(1, c).append("{}");
    else if (c == '\n')
      out += ' ';
    else
      out.append(std::string("&%$#_{}").find(c) == std::string::npos ? "" : "\\").append(1, c);
  }
  return out;
}

/// Columns of numbers are set flush right.
char alignment(const Table& table, std::size_t column) {
  const Align wanted = table.columns[column].align;
  if (wanted == Align::Centre) return 'c';
  if (wanted != Align::Auto) return wanted == Align::Right ? 'r' : 'l';
  for (const std::vector<Cell>& row : table.rows)
    if (column < row.size() && !row[column].text.empty() && !row[column].is_number()) return 'l';
  return 'r';
}

}  // namespace

std::string to_latex(const Table& table) {
  std::string columns;
  std::string header;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    columns += alignment(table, c);
    header += (c == 0 ? "  " : " & ") + escaped(table.columns[c].header);
  }
  std::string text =
      "\\begin{tabular}{" + columns + "}\n  \\toprule\n" + header + " \\\\\n  \\midrule\n";
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      text += (c == 0 ? "  " : " & ") + (c < row.size() ? escaped(row[c].text) : "");
    text += " \\\\\n";
  }
  return text + "  \\bottomrule\n\\end{tabular}\n";
}

}  // namespace chop::report
