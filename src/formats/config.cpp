#include "formats/config.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "support/text.hpp"

namespace chop::formats {
namespace {

std::string number(double value) {
  return value == std::floor(value) && std::fabs(value) < 1e15
             ? std::to_string(static_cast<std::int64_t>(value))
             : exact(value);
}

std::string bounds(const KeyDef& key) {
  if (std::isfinite(key.least) && std::isfinite(key.most))
    return cat(" from ", number(key.least), " to ", number(key.most));
  if (std::isfinite(key.least)) return cat(" of at least ", number(key.least));
  if (std::isfinite(key.most)) return cat(" of at most ", number(key.most));
  return {};
}

bool is_na(const Attr& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && (*text == "NA" || *text == "None");
}

/// As convert_like(), and 0 or 1 may stand for a flag, a number for a list of reals.
Result<Attr> convert(const KeyDef& key, const Attr& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (std::holds_alternative<bool>(key.pattern) && whole != nullptr && (*whole == 0 || *whole == 1))
    return Attr(*whole == 1);
  if (std::holds_alternative<std::vector<double>>(key.pattern)) {
    if (whole != nullptr) return Attr(std::vector<double>{static_cast<double>(*whole)});
    if (const auto* real = std::get_if<double>(&value)) return Attr(std::vector<double>{*real});
    if (const auto* list = std::get_if<Ints>(&value))
      return Attr(std::vector<double>(list->begin(), list->end()));
  }
  return convert_like(key.pattern, value);
}

std::vector<double> numbers_of(const Attr& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return {static_cast<double>(*whole)};
  if (const auto* real = std::get_if<double>(&value)) return {*real};
  if (const auto* list = std::get_if<Ints>(&value)) return {list->begin(), list->end()};
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) return *reals;
  return {};
}

bool is_allowed(const KeyDef& key, const Attr& value) {
  for (const double n : numbers_of(value))
    if (!(n >= key.least && n <= key.most)) return false;
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr || key.choices.empty() ||
         std::find(key.choices.begin(), key.choices.end(), *text) != key.choices.end();
}

}  // namespace

const Attr& Config::at(std::string_view key) const {
  const auto found = values_.find(std::string(key));
  assert(found != values_.end() && "a format asked for a key that its configuration lacks");
  return found->second;
}

Attr read_value(std::string_view text) {
  std::string_view list = trim(text);
  if (list == "true" || list == "True") return true;
  if (list == "false" || list == "False") return false;
  if (const auto whole = parse_int(list)) return *whole;
  if (const auto real = parse_double(list)) return *real;
  if (list.starts_with('[') && list.ends_with(']')) list = list.substr(1, list.size() - 2);
  Ints ints;
  std::vector<double> reals;
  for (const std::string& part : split(list, ',')) {
    const auto real = parse_double(trim(part));
    if (!real) return std::string(text);
    reals.push_back(*real);
    if (const auto whole = parse_int(trim(part))) ints.push_back(*whole);
  }
  return ints.size() == reals.size() ? Attr(ints) : Attr(reals);
}

std::string describe_allowed(const KeyDef& key) {
  if (!key.choices.empty()) {
    const std::vector<std::string> names(key.choices.begin(), key.choices.end());
    return cat("one of ", join(names, ", "));
  }
  if (std::holds_alternative<bool>(key.pattern)) return "true or false";
  if (std::holds_alternative<std::int64_t>(key.pattern)) return cat("a whole number", bounds(key));
  if (std::holds_alternative<double>(key.pattern)) return cat("a number", bounds(key));
  if (std::holds_alternative<Ints>(key.pattern)) return cat("whole numbers", bounds(key));
  if (std::holds_alternative<std::vector<double>>(key.pattern)) return cat("numbers", bounds(key));
  return "a text";
}

Result<Config> complete_keys(std::string_view format, std::span<const KeyDef> keys,
                             const Attrs& given) {
  Attrs values;
  std::vector<std::string> known;
  for (const KeyDef& key : keys) known.emplace_back(key.name);
  for (const auto& [name, value] : given) {
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&n = name](const KeyDef& def) { return def.name == n; });
    if (key == keys.end())
      return Error{.what = cat("format '", format, "' has no key '", name, "'"),
                   .hint = known.empty() ? cat(format, " takes no keys")
                                         : cat(did_you_mean(name, known), format, " takes ",
                                               join(known, ", "))};
    if (is_na(value)) continue;
    Result<Attr> converted = convert(*key, value);
    if (!converted || !is_allowed(*key, converted.value()))
      return Error{.what = cat("format '", format, "': ", name, " = ", to_text(value)),
                   .hint = cat(name, " is ", describe_allowed(*key), ": ", key->doc)};
    values.emplace(name, std::move(converted).value());
  }
  for (const KeyDef& key : keys) {
    if (values.contains(std::string(key.name))) continue;
    if (key.absent == IfAbsent::Error)
      return Error{.what = cat("format '", format, "' needs the key '", key.name, "'"),
                   .hint = cat(key.name, " is ", describe_allowed(key), ": ", key.doc)};
    if (key.absent == IfAbsent::Default) values.emplace(key.name, key.pattern);
  }
  return Config(std::move(values));
}

}  // namespace chop::formats
