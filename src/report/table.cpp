#include "report/table.hpp"

#include <cstdio>

#include "support/text.hpp"

namespace chop::report {
namespace {

const std::string& key_of(const Column& column) {
  return column.key.empty() ? column.header : column.key;
}

/// The value as a program reads it: numbers in full, no value as nothing.
std::string plain_text(const Cell& cell) {
  if (const auto* real = std::get_if<double>(&cell.value)) return python_repr(*real);
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*whole);
  if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth ? "True" : "False";
  if (const auto* text = std::get_if<std::string>(&cell.value)) return *text;
  return "";
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

Tree tree_of(const Cell& cell) {
  if (const auto* real = std::get_if<double>(&cell.value))
    return std::isfinite(*real) ? Tree(*real) : Tree();
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) return *whole;
  if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth;
  if (const auto* text = std::get_if<std::string>(&cell.value)) return *text;
  return {};
}

}  // namespace

Cell::Cell(double number) : value(number), text(python_repr(number)) {}

Cell::Cell(double number, int decimals) : value(number) {
  std::array<char, 400> buffer{};
  if (std::isnan(number)) number = std::abs(number);  // no "-nan": its sign says nothing
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, number);
  text = buffer.data();
}

std::string to_csv(const Table& table) {
  std::string csv;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    csv.append(c == 0 ? "" : ",").append(csv_field(key_of(table.columns[c])));
  csv += '\n';
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      csv.append(c == 0 ? "" : ",").append(c < row.size() ? csv_field(plain_text(row[c])) : "");
    csv += '\n';
  }
  return csv;
}

Tree tree_of(const Table& table) {
  Tree rows = Tree::list();
  for (const std::vector<Cell>& row : table.rows) {
    Tree entries = Tree::table();
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      entries.set(key_of(table.columns[c]), c < row.size() ? tree_of(row[c]) : Tree());
    rows.push(std::move(entries));
  }
  return rows;
}

}  // namespace chop::report
