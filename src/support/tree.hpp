// Values as configuration files, JSON and results have them: numbers, texts, lists and tables.
//
//     Tree row = Tree::Table{{"node", "fc1"}, {"macs", 1024}};
//     row["formats"].push("integer");             // entries appear when they are asked for
//     to_json(row)                                // support/json.hpp
//
// A Tree remembers the line it was read from, so a message about it can name the line.
// Tables keep the order they were written in.
#pragma once

#include <concepts>
#include <variant>

#include "support/result.hpp"

namespace chop::support {

class Tree {
 public:
  using List = std::vector<Tree>;
  using Table = std::vector<std::pair<std::string, Tree>>;
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Table>;

  Tree();
  Tree(bool value) : value_(value) {}
  Tree(double value) : value_(value) {}
  template <std::integral Integer>
  Tree(Integer value) : value_(static_cast<std::int64_t>(value)) {}
  Tree(const char* value) : value_(std::string(value)) {}
  Tree(std::string_view value) : value_(std::string(value)) {}
  Tree(std::string value) : value_(std::move(value)) {}
  Tree(List value) : value_(std::move(value)) {}
  Tree(Table value) : value_(std::move(value)) {}
  /// A list, an item each.
  template <class T>
  Tree(const std::vector<T>& items) : Tree(List(items.begin(), items.end())) {}
  /// A table.
  template <class T>
  Tree(const std::map<std::string, T>& entries) : Tree(Table(entries.begin(), entries.end())) {}
  /// Nothing, where there is no value.
  template <class T>
  Tree(const std::optional<T>& value) : Tree(value ? Tree(*value) : Tree()) {}

  Tree(const Tree& other);
  Tree(Tree&& other) noexcept;
  Tree& operator=(const Tree& other);
  Tree& operator=(Tree&& other) noexcept;
  ~Tree();

  static Tree table() { return Table{}; }
  static Tree list() { return List{}; }
  const Value& value() const { return value_; }
  bool is_null() const { return value_.index() == 0; }
  const bool* as_flag() const { return std::get_if<bool>(&value_); }
  const std::int64_t* as_integer() const { return std::get_if<std::int64_t>(&value_); }
  const double* as_real() const { return std::get_if<double>(&value_); }
  const std::string* as_text() const { return std::get_if<std::string>(&value_); }
  const List* as_list() const { return std::get_if<List>(&value_); }
  const Table* as_table() const { return std::get_if<Table>(&value_); }

  bool is_text() const { return as_text() != nullptr; }
  bool is_list() const { return as_list() != nullptr; }
  bool is_table() const { return as_table() != nullptr; }
  bool is_number() const { return as_integer() != nullptr || as_real() != nullptr; }
  /// A number of either kind; 0 of anything else.
  double number() const;
  /// Items of a list, entries of a table; 0 of anything else.
  std::size_t size() const;

  /// The entry of a table, or null when this is no table or has none so named.
  const Tree* find(std::string_view key) const;
  Tree* find(std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// The entry of a table; nothing when there is none so named.
  const Tree& operator[](std::string_view key) const;
  /// The entry of a table (or of nothing, which becomes a table), added when there is none.
  Tree& operator[](std::string_view key);
  /// An item of a list, which must have that many.
  const Tree& operator[](std::size_t item) const { return std::get<List>(value_)[item]; }
  /// Sets an entry of a table (or of nothing, which becomes a table), in place if it exists.
  Tree& set(std::string_view key, Tree value);
  /// Appends to a list (or to nothing, which becomes a list).
  void push(Tree value);

  int line = 0;  ///< where it was read; 0: not from a file

  /// Equal values; lines do not count.
  bool operator==(const Tree& other) const;

 private:
  Value value_;
};

/// "a table", "a list", "a text", "a whole number" ...
std::string_view kind_of(const Tree& tree);
/// As TOML writes it, on one line: 3, "text", [1, 2], { a = 1 }. Nothing is "NA".
std::string to_text(const Tree& tree);

}  // namespace chop::support
