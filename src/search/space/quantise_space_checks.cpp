// Checks every choice of a quantisation space before the first trial.
#include <set>

#include "formats/registry.hpp"
#include "passes/quantise_config.hpp"
#include "search/space/format_keys.hpp"
#include "search/space/quantise_space.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

/// A number outside what the format's key takes; such a choice is refused by name.
std::optional<std::string> out_of_bounds(const Field& key, const Tree& choice) {
  if (!choice.is_number() || in_bounds(key.bounds, choice.number())) return {};
  return cat(key.name, " is ", describe_allowed(key));
}

/// Formats exist; every other key belongs to at least one of `formats`, with values it accepts.
Status check_key(const std::string& key, const std::vector<Tree>& choices,
                 const std::vector<Tree>& formats, const ArgSource& source) {
  if (key == "bypass") return {};
  bool known = false;
  std::vector<std::string> names;
  for (const Tree& choice : choices) {
    if (is_format_key(key) && choice.as_text() != nullptr)
      if (Result<const FormatDef*> found = find_format(*choice.as_text()); !found) {
        Error error = std::move(found).error();
        error.what = cat(source.path, ".", key, ": ", error.what);
        return at_line(std::move(error), source, choice.line);
      }
    for (const Tree& format : formats) {
      const Field* def = key_of_format(format, key);
      known = known || def != nullptr;
      if (def == nullptr || (formats.size() > 1 && !takes_choices(format, key, choices))) continue;
      if (const auto wrong = out_of_bounds(*def, choice))
        return at_line(
            {.what = cat(source.path, ".", key, " = ", to_text(choice), " is not allowed"),
             .hint = *wrong},
            source, choice.line);
    }
  }
  std::vector<std::string> spellings;
  for (const Tree& format : formats) {
    if (format.as_text() == nullptr) continue;
    names.push_back(*format.as_text());
    if (const Result<const FormatDef*> def = find_format(names.back()); def)
      for (std::string& one : known_keys(*def.value())) spellings.push_back(std::move(one));
  }
  if (known || is_format_key(key) || names.empty()) return {};
  return at_line(
      {.what = cat(source.path, ".", key, ": no key of the format", names.size() == 1 ? " " : "s ",
                   join(names, ", ")),
       .hint = cat(did_you_mean(key, spellings),
                   "`ch format --list` lists keys; each takes data_in_, weight_, bias_ or "
                   "data_out_ before it")},
      source, choices.front().line);
}

}  // namespace

/// Every choice by itself, so that the error can name it, whether or not the table is for a node.
Status QuantiseSpace::check_keys(const std::vector<Key>& keys, const ArgSource& source) {
  for (const Key& key : keys) {
    // The formats of the key's own operand, where the table names some; else those of `name`.
    const std::string own = cat(group_of(key.name), "_name");
    const bool has_own = std::any_of(keys.begin(), keys.end(),
                                     [&own](const Key& other) { return other.name == own; });
    std::vector<Tree> formats;
    for (const Key& other : keys)
      if (group_of(key.name).empty() ? is_format_key(other.name)
                                     : other.name == (has_own ? own : "name"))
        formats.insert(formats.end(), other.choices.begin(), other.choices.end());
    CH_CHECK(check_key(key.name, key.choices, formats, source));
  }
  return {};
}

/// Combinations of choices.
Status QuantiseSpace::check_node(const NodeTable& table) {
  const Space space(parameters_);
  const Point first = space.canonical(Point(space.dimensions(), 0));
  CH_TRY(const Chosen base, choose(table, config_of(table, first), Calibrate::No));
  static_cast<void>(base);
  for (const Key& key : table.keys)
    if (key.parameter) CH_CHECK(check_choice(table, space, *key.parameter));
  constexpr std::uint64_t kMost = 256;
  const Stream stream(0, "checked choices");
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < kMost && !parameters_.empty(); ++i) {
    const Tree config = config_of(table, space.draw(stream, i * space.dimensions()));
    if (!seen.insert(to_text(config)).second) continue;
    CH_TRY(const Chosen one, choose(table, config, Calibrate::No));
    static_cast<void>(one);
  }
  return {};
}

/// Each choice of one parameter, with the others at their first choice.
Status QuantiseSpace::check_choice(const NodeTable& table, const Space& space,
                                   std::size_t parameter) {
  const SpaceParameter& one = parameters_[parameter];
  for (std::size_t c = 1; c < one.distribution.choices.size(); ++c) {
    Point point(space.dimensions(), 0);
    point[parameter] = static_cast<double>(c);
    point = space.canonical(point);
    if (Result<Chosen> chosen = choose(table, config_of(table, point), Calibrate::No); !chosen) {
      const std::string key = one.name.substr(one.name.rfind('/') + 1);
      Error error = std::move(chosen).error();
      error.what = cat(table.source.path, ".", key, " = ", to_text(one.distribution.choices[c]),
                       ": ", error.what);
      return at_line(std::move(error), table.source, one.distribution.choices[c].line);
    }
  }
  return {};
}

}  // namespace chop::search
