#include "config/field.hpp"

#include "support/text.hpp"

namespace chop::config {
namespace {

struct Words {
  std::string_view name;     ///< in a table
  std::string_view article;  ///< before the name, in a sentence
};

const Words& words_of(FieldKind kind) {
  static constexpr std::array<Words, 13> kWords = {
      {{"text", "a "},
       {"true or false", ""},
       {"whole number", "a "},
       {"number", "a "},
       {"text", "a "},
       {"whole numbers", ""},
       {"numbers", ""},
       {"list of names", "a "},
       {"table", "a "},
       {R"("all", "none" or a list of axes such as [0, 2])", ""},
       {"path of a file", "the "},
       {"path of a file or a folder", "the "},
       {"path", "a "}}};
  return kWords.at(static_cast<std::size_t>(kind));
}

std::string shown_bound(double value) {
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : exact(value);
}

/// " from 1 to 32", " of at least 1", " above 0 and below 1"; "" without bounds.
std::string shown_bounds(const Bounds& bounds) {
  if (bounds.least && bounds.most)
    return cat(" from ", shown_bound(*bounds.least), " to ", shown_bound(*bounds.most));
  std::vector<std::string> limits;
  if (bounds.least) limits.push_back(cat("at least ", shown_bound(*bounds.least)));
  if (bounds.above) limits.push_back(cat("above ", shown_bound(*bounds.above)));
  if (bounds.most) limits.push_back(cat("at most ", shown_bound(*bounds.most)));
  if (bounds.below) limits.push_back(cat("below ", shown_bound(*bounds.below)));
  if (limits.empty()) return {};
  return cat(limits.front().starts_with("at ") ? " of " : " ", join(limits, " and "));
}

std::optional<Tree> conform_number(const Field& field, const Tree& given, bool whole) {
  if (!given.is_number() || (whole && given.as_integer() == nullptr)) return {};
  if (!in_bounds(field.bounds, given.number())) return {};
  return whole ? given : Tree(given.number());
}

/// Choices such as 32 may be written as a number.
std::optional<Tree> conform_text(const Field& field, const Tree& given) {
  Tree text = given;
  if (given.as_integer() != nullptr && !field.choices.empty()) text = to_text(given);
  if (text.as_text() == nullptr || !is_choice(field, *text.as_text())) return {};
  return text;
}

/// A list of which every item conforms; one item alone stands for a list of one.
template <class Conform>
std::optional<Tree> conform_list(const Tree& given, Conform conform_item) {
  const Tree::List* items = given.as_list();
  Tree::List list;
  for (const Tree& item : items == nullptr ? Tree::List{given} : *items) {
    std::optional<Tree> conformed = conform_item(item);
    if (!conformed) return {};
    list.push_back(std::move(*conformed));
  }
  return list;
}

std::optional<Tree> conform_dims(const Field& field, const Tree& given) {
  if (given.is_null()) return given;
  if (const std::string* word = given.as_text()) {
    if (*word == "none" || *word == "None") return Tree();
    return *word == "all" ? std::optional(given) : std::nullopt;
  }
  return conform_list(given, [&](const Tree& item) { return conform_number(field, item, true); });
}

}  // namespace

FieldKind kind_of(const Field& field) {
  if (field.kind != FieldKind::OfDefault) return field.kind;
  if (const Tree::List* items = field.initial.as_list()) {
    const auto any = [items](auto is) { return std::any_of(items->begin(), items->end(), is); };
    if (any([](const Tree& item) { return item.is_text(); })) return FieldKind::Names;
    return any([](const Tree& item) { return item.as_real() != nullptr; }) ? FieldKind::Reals
                                                                           : FieldKind::Integers;
  }
  if (field.initial.as_flag() != nullptr) return FieldKind::Flag;
  if (field.initial.as_integer() != nullptr) return FieldKind::Integer;
  if (field.initial.as_real() != nullptr) return FieldKind::Real;
  return field.initial.is_table() ? FieldKind::Table : FieldKind::Text;
}

std::string_view name_of(FieldKind kind) {
  return words_of(kind).name;
}

std::string in_a_sentence(FieldKind kind) {
  return cat(words_of(kind).article, words_of(kind).name);
}

std::string describe_allowed(const Field& field) {
  const FieldKind kind = kind_of(field);
  if (!field.choices.empty()) {
    const std::vector<std::string> choices(field.choices.begin(), field.choices.end());
    return cat(kind == FieldKind::Names ? "a list of: " : "one of ", join(choices, ", "));
  }
  return cat(in_a_sentence(kind), shown_bounds(field.bounds));
}

std::string hint_for(const Field& field, const Tree& given) {
  const std::vector<std::string> choices(field.choices.begin(), field.choices.end());
  const std::string* text = given.as_text();
  return cat(text == nullptr ? "" : did_you_mean(*text, choices), field.name, " is ",
             describe_allowed(field));
}

std::string default_text(const Field& field) {
  return field.initial.is_null() ? "" : to_text(field.initial);
}

bool in_bounds(const Bounds& bounds, double value) {
  return std::isfinite(value) && !(bounds.least && value < *bounds.least) &&
         !(bounds.most && value > *bounds.most) && !(bounds.above && value <= *bounds.above) &&
         !(bounds.below && value >= *bounds.below);
}

bool is_choice(const Field& field, std::string_view text) {
  return field.choices.empty() ||
         std::find(field.choices.begin(), field.choices.end(), text) != field.choices.end();
}

std::optional<Tree> conform(const Field& field, const Tree& given) {
  switch (kind_of(field)) {
    case FieldKind::Flag:
      return given.as_flag() == nullptr ? std::nullopt : std::optional(given);
    case FieldKind::Integer:
      return conform_number(field, given, /*whole=*/true);
    case FieldKind::Real:
      return conform_number(field, given, /*whole=*/false);
    case FieldKind::Integers:
      return conform_list(given,
                          [&](const Tree& item) { return conform_number(field, item, true); });
    case FieldKind::Reals:
      return conform_list(given,
                          [&](const Tree& item) { return conform_number(field, item, false); });
    case FieldKind::Names:
      return conform_list(given, [&](const Tree& item) { return conform_text(field, item); });
    case FieldKind::Dims:
      return conform_dims(field, given);
    case FieldKind::Table:
      return given.is_table() ? std::optional(given) : std::nullopt;
    default:
      return conform_text(field, given);
  }
}

Field without_default(Field field) {
  field.kind = kind_of(field);
  field.initial = {};
  return field;
}

const Field* find_field(std::span<const Field> fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [name](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(std::span<const Field> fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.emplace_back(field.name);
  return names;
}

}  // namespace chop::config
