#include "formats/config.hpp"

#include "support/text.hpp"

namespace chop::formats {
namespace {

bool is_na(const Attr& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && (*text == "NA" || *text == "None");
}

/// As ir::convert(), and 0 or 1 may stand for a flag.
Result<Attr> convert_key(const Field& field, const Attr& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (kind_of(field) == FieldKind::Flag && whole != nullptr && (*whole == 0 || *whole == 1))
    return Attr(*whole == 1);
  return ir::convert(kind_of(field), value);
}

std::vector<double> numbers_of(const Attr& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return {static_cast<double>(*whole)};
  if (const auto* real = std::get_if<double>(&value)) return {*real};
  if (const auto* list = std::get_if<Ints>(&value)) return {list->begin(), list->end()};
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) return *reals;
  return {};
}

bool is_allowed(const Field& field, const Attr& value) {
  const std::vector<double> numbers = numbers_of(value);
  const auto* text = std::get_if<std::string>(&value);
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](double number) { return in_bounds(field.bounds, number); }) &&
         (text == nullptr || is_choice(field, *text));
}

}  // namespace

const Attr& Config::at(std::string_view key) const {
  const auto found = values_.find(std::string(key));
  assert(found != values_.end() && "a format asked for a key that its configuration lacks");
  return found->second;
}

Result<Config> complete_keys(std::string_view format, std::span<const Field> keys,
                             const Attrs& given) {
  Attrs values;
  for (const auto& [name, value] : given) {
    const Field* key = find_field(keys, name);
    if (key == nullptr) {
      const std::vector<std::string> known = names_of(keys);
      return Error{.what = cat("format '", format, "' has no key '", name, "'"),
                   .hint = known.empty() ? cat(format, " takes no keys")
                                         : cat(did_you_mean(name, known), format, " takes ",
                                               join(known, ", "))};
    }
    if (is_na(value)) continue;
    Result<Attr> converted = convert_key(*key, value);
    if (!converted || !is_allowed(*key, converted.value()))
      return Error{.what = cat("format '", format, "': ", name, " = ", to_text(value)),
                   .hint = cat(name, " is ", describe_allowed(*key), ": ", key->doc)};
    values.emplace(name, std::move(converted).value());
  }
  for (const Field& field : keys) {
    if (values.contains(std::string(field.name))) continue;
    if (field.required)
      return Error{.what = cat("format '", format, "' needs the key '", field.name, "'"),
                   .hint = cat(field.name, " is ", describe_allowed(field), ": ", field.doc)};
    if (!field.initial.is_null()) values.emplace(field.name, default_of(field));
  }
  return Config(std::move(values));
}

}  // namespace chop::formats
