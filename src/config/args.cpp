#include "config/args.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "support/text.hpp"

namespace chop::config {
namespace {

std::string_view noun(ArgKind kind) {
  static constexpr std::array<std::string_view, 7> kNouns = {
      "true or false",
      "a whole number",
      "a number",
      "a text",
      "a list of names",
      "a table",
      "\"all\", \"NA\" or a list of axes such as [0, 2]"};
  return kNouns.at(static_cast<std::size_t>(kind));
}

std::string list_choices(const ArgDef& def) {
  const std::vector<std::string> choices(def.choices.begin(), def.choices.end());
  return join(choices, ", ");
}

std::string number(double value) {
  std::string text = exact(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string at(const ArgPlace& place, int line) {
  if (place.file.empty()) return {};
  return line > 0 ? cat(place.file, ":", line) : place.file;
}

Error located(Error error, const ArgPlace& place, int line) {
  if (std::string where = at(place, line); !where.empty()) error.notes.push_back(std::move(where));
  return error;
}

bool in_bounds(const ArgBounds& bounds, double value) {
  return !(bounds.least && !(value >= *bounds.least)) &&
         !(bounds.most && !(value <= *bounds.most)) &&
         !(bounds.above && !(value > *bounds.above)) && !(bounds.below && !(value < *bounds.below));
}

bool is_choice(const ArgDef& def, const Tree& item) {
  return def.choices.empty() ||
         std::find(def.choices.begin(), def.choices.end(), *item.as_text()) != def.choices.end();
}

std::optional<Tree> conform_dims(const Tree& given) {
  if (given.is_null()) return given;
  if (const std::string* word = given.as_text())
    return *word == "all" ? std::optional(given) : std::nullopt;
  const Tree list = given.as_integer() != nullptr ? Tree(Tree::List{given}) : given;
  if (list.as_list() == nullptr) return {};
  for (const Tree& item : *list.as_list())
    if (item.as_integer() == nullptr) return {};
  return list;
}

/// `given` as the kind of `def`, or nothing when it is not allowed.
std::optional<Tree> conform(const ArgDef& def, const Tree& given) {
  switch (def.kind) {
    case ArgKind::Flag:
      if (given.as_flag() == nullptr) return {};
      return given;
    case ArgKind::Integer:
      if (given.as_integer() == nullptr ||
          !in_bounds(def.bounds, static_cast<double>(*given.as_integer())))
        return {};
      return given;
    case ArgKind::Real: {
      Tree real = given;
      if (const std::int64_t* whole = given.as_integer()) real = static_cast<double>(*whole);
      if (real.as_real() == nullptr || !in_bounds(def.bounds, *real.as_real())) return {};
      return real;
    }
    case ArgKind::Text:
      if (given.as_text() == nullptr || !is_choice(def, given)) return {};
      return given;
    case ArgKind::Names: {
      const Tree list = given.as_text() != nullptr ? Tree(Tree::List{given}) : given;
      if (list.as_list() == nullptr) return {};
      for (const Tree& item : *list.as_list())
        if (item.as_text() == nullptr || !is_choice(def, item)) return {};
      return list;
    }
    case ArgKind::Dims:
      return conform_dims(given);
    case ArgKind::Table:
      break;
  }
  if (given.as_table() == nullptr) return {};
  return given;
}

const ArgDef* find_def(std::span<const ArgDef> defs, std::string_view name) {
  const auto found = std::find_if(defs.begin(), defs.end(),
                                  [name](const ArgDef& def) { return def.name == name; });
  return found == defs.end() ? nullptr : &*found;
}

}  // namespace

std::string describe_allowed(const ArgDef& def) {
  if (!def.choices.empty())
    return cat(def.kind == ArgKind::Names ? "a list of: " : "one of ", list_choices(def));
  std::vector<std::string> limits;
  if (def.bounds.least) limits.push_back(cat("at least ", number(*def.bounds.least)));
  if (def.bounds.above) limits.push_back(cat("above ", number(*def.bounds.above)));
  if (def.bounds.most) limits.push_back(cat("at most ", number(*def.bounds.most)));
  if (def.bounds.below) limits.push_back(cat("below ", number(*def.bounds.below)));
  return limits.empty() ? std::string(noun(def.kind))
                        : cat(noun(def.kind), " ", join(limits, " and "));
}

std::string default_text(const ArgDef& def) {
  return def.initial.is_null() ? "" : to_text(def.initial);
}

Result<Args> Args::check(std::span<const ArgDef> defs, const Tree& given, ArgPlace place,
                         bool open) {
  Args args;
  args.place_ = std::move(place);
  for (const ArgDef& def : defs) args.values_.set(def.name, def.initial);
  if (given.as_table() == nullptr && !given.is_null())
    return located({.what = cat(args.place_.path, " must be a table, not ", kind_of(given)),
                    .hint = cat("write [", args.place_.path, "] on a line of its own")},
                   args.place_, given.line);
  for (const auto& [name, value] : given.is_null() ? Tree::Table{} : *given.as_table()) {
    const ArgDef* def = find_def(defs, name);
    if (def == nullptr && open && value.as_table() != nullptr) {
      args.others_.set(name, value);
      continue;
    }
    if (def == nullptr) {
      std::vector<std::string> known;
      for (const ArgDef& one : defs) known.emplace_back(one.name);
      return located({.what = cat("unknown argument '", args.place_.path, ".", name, "'"),
                      .hint = known.empty() ? cat(args.place_.path, " takes no arguments")
                                            : cat(did_you_mean(name, known), "the arguments are ",
                                                  join(known, ", "))},
                     args.place_, value.line);
    }
    // "NA": as if it were not there, but for dims, where it says something.
    if (value.is_null() && def->kind != ArgKind::Dims) continue;
    const std::optional<Tree> conformed = conform(*def, value);
    if (!conformed)
      return located(
          {.what = cat(args.place_.path, ".", name, " = ", to_text(value), " is not allowed"),
           .hint = cat(name, " is ", describe_allowed(*def))},
          args.place_, value.line);
    Tree kept = *conformed;
    kept.line = value.line;
    args.values_.set(name, std::move(kept));
  }
  for (const ArgDef& def : defs)
    if (def.required && !args.has(def.name))
      return located({.what = cat(args.place_.path, " needs the argument '", def.name, "'"),
                      .hint = cat(def.name, " is ", describe_allowed(def), ": ", def.doc)},
                     args.place_, given.line);
  return args;
}

std::vector<std::string> Args::names(std::string_view name) const {
  std::vector<std::string> found;
  if (const Tree::List* items = get(name).as_list())
    for (const Tree& item : *items) found.push_back(*item.as_text());
  return found;
}

const Tree& Args::get(std::string_view name) const {
  const Tree* value = values_.find(name);
  assert(value != nullptr && "a pass asked for an argument it does not declare");
  return *value;
}

ArgPlace Args::inside(std::string_view name) const {
  return {.path = cat(place_.path, ".", name), .file = place_.file};
}

Error Args::wrong(std::string_view name, std::string_view what, std::string hint) const {
  return located({.what = cat(place_.path, ".", name, ": ", what), .hint = std::move(hint)}, place_,
                 get(name).line);
}

}  // namespace chop::config
