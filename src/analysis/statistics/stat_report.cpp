#include "analysis/statistics/stat_report.hpp"

#include <cstdio>
#include <set>

#include "support/text.hpp"

namespace chop::analysis {
namespace {

constexpr std::array<std::string_view, 15> kReadingOrder = {
    "mean",      "variance", "min", "max",  "range", "abs_mean",       "counts",       "edges",
    "underflow", "overflow", "nan", "data", "count", "relative_error", "size_in_bytes"};

std::size_t reading_position(std::string_view key) {
  return static_cast<std::size_t>(std::find(kReadingOrder.begin(), kReadingOrder.end(), key) -
                                  kReadingOrder.begin());
}

std::string six_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string element_text(const Tensor& tensor, std::int64_t i) {
  return tensor.dtype() == DType::I64
             ? std::to_string(tensor.data<std::int64_t>()[static_cast<std::size_t>(i)])
             : six_digits(tensor.at(i));
}

std::string tensor_text(const Tensor& tensor) {
  constexpr std::int64_t kShown = 3;
  std::vector<std::string> shown;
  for (std::int64_t i = 0; i < std::min(tensor.size(), kShown); ++i)
    shown.push_back(element_text(tensor, i));
  if (tensor.size() > kShown) shown.emplace_back("...");
  return cat(to_string(tensor.shape()), " ", join(shown, " "));
}

/// Elements [first, first + numel of the axes from `axis` on).
Tree nested(const Tensor& tensor, std::size_t axis, std::int64_t first) {
  if (axis == tensor.shape().size())
    return tensor.dtype() == DType::I64
               ? Tree(tensor.data<std::int64_t>()[static_cast<std::size_t>(first)])
               : Tree(tensor.at(first));
  const Shape rest(tensor.shape().begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                   tensor.shape().end());
  Tree list = Tree::list();
  for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i)
    list.push(nested(tensor, axis + 1, first + i * numel(rest)));
  return list;
}

Cell cell_of(const StatValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return {*whole};
  if (const auto* real = std::get_if<double>(&value))
    return {Cell::Value(*real), six_digits(*real)};
  return {short_text(value)};
}

}  // namespace

std::string short_text(const StatValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return six_digits(*real);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  return tensor_text(std::get<Tensor>(value));
}

std::string stat_table(std::string_view title, const std::vector<StatRow>& rows, TableStyle style) {
  std::set<std::string> known;
  for (const StatRow& row : rows)
    for (const auto& [key, value] : row.result) known.insert(key);
  std::vector<std::string> keys(known.begin(), known.end());
  std::stable_sort(keys.begin(), keys.end(), [](const std::string& a, const std::string& b) {
    return reading_position(a) < reading_position(b);
  });
  Table table{.columns = {{"Node", Align::Left}, {"Operand", Align::Left}}};
  for (const std::string& key : keys) table.columns.push_back({key, Align::Right});
  for (const StatRow& row : rows) {
    std::vector<Cell> cells = {row.node, row.operand};
    for (const std::string& key : keys) {
      const auto found = row.result.find(key);
      cells.push_back(found == row.result.end() ? Cell() : cell_of(found->second));
    }
    table.rows.push_back(std::move(cells));
  }
  return cat(title, "\n", render(table, {.style = style}), "\n");
}

Tree stat_tree(const StatResult& result) {
  Tree tree = Tree::table();
  for (const auto& [key, value] : result) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) tree.set(key, *whole);
    if (const auto* real = std::get_if<double>(&value)) tree.set(key, *real);
    if (const auto* word = std::get_if<std::string>(&value)) tree.set(key, *word);
    if (const auto* tensor = std::get_if<Tensor>(&value)) tree.set(key, nested(*tensor, 0, 0));
  }
  return tree;
}

}  // namespace chop::analysis
