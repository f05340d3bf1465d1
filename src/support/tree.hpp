// Values as configuration files and results have them: numbers, texts, lists and tables.
//
// A Tree remembers the line it was read from, so a message about it can say where it stands.
// Tables keep the order they were written in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/result.hpp"

namespace chop {

class Tree {
 public:
  using List = std::vector<Tree>;
  using Table = std::vector<std::pair<std::string, Tree>>;
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Table>;

  Tree() = default;
  Tree(bool value) : value_(value) {}
  Tree(int value) : value_(std::int64_t{value}) {}
  Tree(std::int64_t value) : value_(value) {}
  Tree(std::size_t value) : value_(static_cast<std::int64_t>(value)) {}
  Tree(double value) : value_(value) {}
  Tree(const char* value) : value_(std::string(value)) {}
  Tree(std::string_view value) : value_(std::string(value)) {}
  Tree(std::string value) : value_(std::move(value)) {}
  Tree(List value) : value_(std::move(value)) {}
  Tree(Table value) : value_(std::move(value)) {}

  static Tree table() { return Table{}; }
  static Tree list() { return List{}; }
  /// One text per item.
  static Tree texts(const std::vector<std::string>& items);
  static Tree integers(const std::vector<std::int64_t>& items);

  const Value& value() const { return value_; }
  bool is_null() const { return value_.index() == 0; }
  const bool* as_flag() const { return std::get_if<bool>(&value_); }
  const std::int64_t* as_integer() const { return std::get_if<std::int64_t>(&value_); }
  const double* as_real() const { return std::get_if<double>(&value_); }
  const std::string* as_text() const { return std::get_if<std::string>(&value_); }
  const List* as_list() const { return std::get_if<List>(&value_); }
  const Table* as_table() const { return std::get_if<Table>(&value_); }

  /// The entry of a table, or null when this is no table or has none so named.
  const Tree* find(std::string_view key) const;
  Tree* find(std::string_view key);
  /// Sets an entry of a table (or of nothing, which becomes a table), in place if it exists.
  Tree& set(std::string_view key, Tree value);
  /// Appends to a list (or to nothing, which becomes a list).
  void push(Tree value);

  int line = 0;  ///< where it was read; 0: not from a file

  /// Equal values, wherever they stand.
  bool operator==(const Tree& other) const { return value_ == other.value_; }

 private:
  Value value_;
};

/// "a table", "a list", "a text", "a whole number" ...
std::string_view kind_of(const Tree& tree);
/// As TOML writes it, on one line: 3, "text", [1, 2], { a = 1 }. Nothing is "NA".
std::string to_text(const Tree& tree);

}  // namespace chop
