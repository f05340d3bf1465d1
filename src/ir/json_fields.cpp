#include "ir/json_fields.hpp"

#include "ir/json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

std::string_view kind_of(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  if (json.is_string()) return "a text";
  if (json.is_boolean()) return "a boolean";
  if (json.is_null()) return "null";
  return json.is_number_float() ? "a real number" : "a whole number";
}

OrderedJson real_json(double value) {
  if (std::isfinite(value)) return value;
  return exact_bits(value);
}

Result<double> real_from(const Json& json, const std::string& path) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string())
    if (const auto value = parse_exact(json.get_ref<const std::string&>())) return *value;
  return unexpected(json, path, "a number, or \"nan\", \"inf\" or \"-inf\"");
}

Result<std::vector<double>> reals_from(const Json& json, const std::string& path) {
  if (!json.is_array()) return unexpected(json, path, "a list of numbers");
  std::vector<double> values;
  for (std::size_t i = 0; i < json.size(); ++i) {
    CH_TRY(values.emplace_back(), real_from(json[i], cat(path, "[", i, "]")));
  }
  return values;
}

Result<Attr> attr_from(const Json& json, const std::string& path) {
  if (json.is_boolean()) return Attr(json.get<bool>());
  if (json.is_number_float()) return Attr(json.get<double>());
  if (json.is_number()) {
    CH_TRY(const std::int64_t value, integer_from(json, path));
    return Attr(value);
  }
  if (json.is_string()) return Attr(from_utf8(json.get_ref<const std::string&>()));
  if (json.is_array()) {
    if (std::all_of(json.begin(), json.end(),
                    [](const Json& i) { return i.is_number_integer(); })) {
      CH_TRY(Ints values, integers_from(json, path));
      return Attr(std::move(values));
    }
    CH_TRY(std::vector<double> values, reals_from(json, path));
    return Attr(std::move(values));
  }
  if (json.is_object() && json.size() == 1 && json.contains("real")) {
    CH_TRY(const double value, real_from(json["real"], path + ".real"));
    return Attr(value);
  }
  if (json.is_object() && json.size() == 1 && json.contains("reals")) {
    CH_TRY(std::vector<double> values, reals_from(json["reals"], path + ".reals"));
    return Attr(std::move(values));
  }
  return unexpected(json, path, "a value");
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Error{.what = cat(what, " is not valid JSON")};
  return json;
}

Error unexpected(const Json& found, const std::string& path, std::string_view expected) {
  return Error{.what = cat(path, ": expected ", expected, ", found ", kind_of(found))};
}

Status check_object(const Json& json, const std::string& path,
                    std::initializer_list<std::string_view> required,
                    std::initializer_list<std::string_view> optional) {
  if (!json.is_object()) return unexpected(json, path, "an object");
  for (const std::string_view key : required)
    if (!json.contains(key)) return Error{.what = cat(path, ": the key \"", key, "\" is missing")};
  std::vector<std::string> known(required.begin(), required.end());
  known.insert(known.end(), optional.begin(), optional.end());
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Error{.what = cat(path, ": unknown key ", in_quotes(key)),
                   .hint = cat(did_you_mean(key, known), "known are ", join(known, ", "))};
  return {};
}

Result<std::string> text_from(const Json& json, const std::string& path) {
  if (!json.is_string()) return unexpected(json, path, "a text");
  return from_utf8(json.get_ref<const std::string&>());
}

Result<bool> flag_from(const Json& json, const std::string& path) {
  if (!json.is_boolean()) return unexpected(json, path, "true or false");
  return json.get<bool>();
}

Result<std::int64_t> integer_from(const Json& json, const std::string& path) {
  if (!json.is_number_integer()) return unexpected(json, path, "a whole number");
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return Error{.what = cat(path, ": ", json.get<std::uint64_t>(), " does not fit 64 bits")};
  return json.get<std::int64_t>();
}

Result<Ints> integers_from(const Json& json, const std::string& path) {
  if (!json.is_array()) return unexpected(json, path, "a list of whole numbers");
  Ints values;
  for (std::size_t i = 0; i < json.size(); ++i) {
    CH_TRY(values.emplace_back(), integer_from(json[i], cat(path, "[", i, "]")));
  }
  return values;
}

OrderedJson json_of(const Attr& attr) {
  if (const auto* flag = std::get_if<bool>(&attr)) return *flag;
  if (const auto* whole = std::get_if<std::int64_t>(&attr)) return *whole;
  if (const auto* text = std::get_if<std::string>(&attr)) return to_utf8(*text);
  if (const auto* wholes = std::get_if<Ints>(&attr)) return *wholes;
  if (const auto* real = std::get_if<double>(&attr)) {
    if (std::isfinite(*real)) return *real;
    return OrderedJson{{"real", real_json(*real)}};
  }
  OrderedJson list = OrderedJson::array();
  for (const double real : std::get<std::vector<double>>(attr)) list.push_back(real_json(real));
  if (!list.empty()) return list;
  return OrderedJson{{"reals", std::move(list)}};
}

OrderedJson json_of(const Attrs& attrs) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, attr] : attrs) json.push_back({to_utf8(name), json_of(attr)});
  return json;
}

Result<Attrs> attrs_from(const Json& json, const std::string& path) {
  if (!json.is_object()) return unexpected(json, path, "an object");
  Attrs attrs;
  for (const auto& [key, value] : json.items()) {
    CH_TRY(attrs[from_utf8(key)], attr_from(value, cat(path, ".", key)));
  }
  return attrs;
}

std::string to_json(const Attrs& attrs) {
  return json_of(attrs).dump();
}

Result<Attrs> attrs_from_json(std::string_view text) {
  CH_TRY(const Json json, parse_json(text, "the attributes"));
  return attrs_from(json, "attributes");
}

}  // namespace chop
