#include "support/tree.hpp"

#include "support/text.hpp"

namespace chop::support {

Tree::Tree() = default;
Tree::Tree(const Tree& other) = default;
Tree::Tree(Tree&& other) noexcept = default;
Tree& Tree::operator=(const Tree& other) = default;
Tree& Tree::operator=(Tree&& other) noexcept = default;
Tree::~Tree() = default;

bool Tree::operator==(const Tree& other) const {
  return value_ == other.value_;
}

double Tree::number() const {
  if (const std::int64_t* whole = as_integer()) return static_cast<double>(*whole);
  const double* real = as_real();
  return real == nullptr ? 0.0 : *real;
}

std::size_t Tree::size() const {
  if (const List* items = as_list()) return items->size();
  const Table* entries = as_table();
  return entries == nullptr ? 0 : entries->size();
}

const Tree* Tree::find(std::string_view key) const {
  const Table* entries = as_table();
  if (entries == nullptr) return nullptr;
  const auto found = std::find_if(entries->begin(), entries->end(),
                                  [key](const auto& entry) { return entry.first == key; });
  return found == entries->end() ? nullptr : &found->second;
}

Tree* Tree::find(std::string_view key) {
  return const_cast<Tree*>(std::as_const(*this).find(key));
}

const Tree& Tree::operator[](std::string_view key) const {
  static const Tree kNothing;
  const Tree* found = find(key);
  return found == nullptr ? kNothing : *found;
}

Tree& Tree::operator[](std::string_view key) {
  Tree* found = find(key);
  return found == nullptr ? set(key, Tree()) : *found;
}

Tree& Tree::set(std::string_view key, Tree value) {
  if (is_null()) value_ = Table{};
  if (Tree* existing = find(key)) {
    *existing = std::move(value);
    return *existing;
  }
  auto* entries = std::get_if<Table>(&value_);
  assert(entries != nullptr && "only tables have named entries");
  return entries->emplace_back(std::string(key), std::move(value)).second;
}

void Tree::push(Tree value) {
  if (is_null()) value_ = List{};
  auto* items = std::get_if<List>(&value_);
  assert(items != nullptr && "only lists grow");
  items->push_back(std::move(value));
}

std::string_view kind_of(const Tree& tree) {
  static constexpr std::array<std::string_view, 7> kKinds = {
      "nothing", "true or false", "a whole number", "a number", "a text", "a list", "a table"};
  return kKinds.at(tree.value().index());
}

std::string to_text(const Tree& tree) {
  if (const bool* flag = tree.as_flag()) return *flag ? "true" : "false";
  if (const std::int64_t* whole = tree.as_integer()) return std::to_string(*whole);
  if (const double* real = tree.as_real()) return exact(*real);
  if (const std::string* text = tree.as_text()) return cat("\"", *text, "\"");
  std::vector<std::string> parts;
  if (const Tree::List* items = tree.as_list()) {
    for (const Tree& item : *items) parts.push_back(to_text(item));
    return cat("[", join(parts, ", "), "]");
  }
  if (const Tree::Table* entries = tree.as_table()) {
    for (const auto& [key, value] : *entries) parts.push_back(cat(key, " = ", to_text(value)));
    return parts.empty() ? "{}" : cat("{ ", join(parts, ", "), " }");
  }
  return "\"NA\"";
}

}  // namespace chop::support
