#include "ir/json_fields.hpp"

#include "ir/json.hpp"

#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::ir {
namespace {

std::string_view json_kind(const Tree& json) {
  if (json.is_table()) return "an object";
  if (json.is_list()) return "a list";
  if (json.is_text()) return "a text";
  if (json.as_flag() != nullptr) return "a boolean";
  if (json.is_null()) return "null";
  return json.as_real() != nullptr ? "a real number" : "a whole number";
}

Tree real_tree(double value) {
  if (std::isfinite(value)) return value;
  return exact_bits(value);
}

Result<double> real_from(const Tree& json, const std::string& path) {
  if (json.is_number()) return json.number();
  if (const std::string* text = json.as_text())
    if (const auto value = parse_exact(*text)) return *value;
  return unexpected(json, path, "a number, or \"nan\", \"inf\" or \"-inf\"");
}

Result<std::vector<double>> reals_from(const Tree& json, const std::string& path) {
  if (!json.is_list()) return unexpected(json, path, "a list of numbers");
  std::vector<double> values;
  for (std::size_t i = 0; i < json.size(); ++i) {
    CH_TRY(values.emplace_back(), real_from(json[i], cat(path, "[", i, "]")));
  }
  return values;
}

Result<Attr> attr_from(const Tree& json, const std::string& path) {
  if (const std::string* text = json.as_text()) return Attr(from_utf8(*text));
  if (std::optional<Attr> attr = attr_of(json)) return *std::move(attr);
  if (json.is_list()) {
    CH_TRY(std::vector<double> values, reals_from(json, path));
    return Attr(std::move(values));
  }
  if (json.is_table() && json.size() == 1 && json.contains("real")) {
    CH_TRY(const double value, real_from(json["real"], path + ".real"));
    return Attr(value);
  }
  if (json.is_table() && json.size() == 1 && json.contains("reals")) {
    CH_TRY(std::vector<double> values, reals_from(json["reals"], path + ".reals"));
    return Attr(std::move(values));
  }
  return unexpected(json, path, "a value");
}

}  // namespace

Error unexpected(const Tree& found, const std::string& path, std::string_view expected) {
  return Error{.what = cat(path, ": expected ", expected, ", found ", json_kind(found))};
}

Status check_object(const Tree& json, const std::string& path,
                    std::initializer_list<std::string_view> required,
                    std::initializer_list<std::string_view> optional) {
  if (!json.is_table()) return unexpected(json, path, "an object");
  for (const std::string_view key : required)
    if (!json.contains(key)) return Error{.what = cat(path, ": the key \"", key, "\" is missing")};
  std::vector<std::string> known(required.begin(), required.end());
  known.insert(known.end(), optional.begin(), optional.end());
  for (const auto& [key, value] : *json.as_table())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Error{.what = cat(path, ": unknown key ", in_quotes(key)),
                   .hint = cat(did_you_mean(key, known), "known are ", join(known, ", "))};
  return {};
}

Result<std::string> text_from(const Tree& json, const std::string& path) {
  const std::string* text = json.as_text();
  if (text == nullptr) return unexpected(json, path, "a text");
  return from_utf8(*text);
}

Result<bool> flag_from(const Tree& json, const std::string& path) {
  const bool* flag = json.as_flag();
  if (flag == nullptr) return unexpected(json, path, "true or false");
  return *flag;
}

Result<std::int64_t> integer_from(const Tree& json, const std::string& path) {
  const std::int64_t* whole = json.as_integer();
  if (whole == nullptr) return unexpected(json, path, "a whole number");
  return *whole;
}

Result<Ints> integers_from(const Tree& json, const std::string& path) {
  if (!json.is_list()) return unexpected(json, path, "a list of whole numbers");
  Ints values;
  for (std::size_t i = 0; i < json.size(); ++i) {
    CH_TRY(values.emplace_back(), integer_from(json[i], cat(path, "[", i, "]")));
  }
  return values;
}

Tree tree_of(const Attr& attr) {
  if (const auto* flag = std::get_if<bool>(&attr)) return *flag;
  if (const auto* whole = std::get_if<std::int64_t>(&attr)) return *whole;
  if (const auto* text = std::get_if<std::string>(&attr)) return to_utf8(*text);
  if (const auto* wholes = std::get_if<Ints>(&attr)) return *wholes;
  if (const auto* real = std::get_if<double>(&attr)) {
    if (std::isfinite(*real)) return *real;
    return Tree::Table{{"real", real_tree(*real)}};
  }
  Tree::List list;
  for (const double real : std::get<std::vector<double>>(attr)) list.push_back(real_tree(real));
  if (!list.empty()) return list;
  return Tree::Table{{"reals", std::move(list)}};
}

Tree tree_of(const Attrs& attrs) {
  Tree::Table table;
  for (const auto& [name, attr] : attrs) table.emplace_back(to_utf8(name), tree_of(attr));
  return table;
}

Result<Attrs> attrs_from(const Tree& json, const std::string& path) {
  if (!json.is_table()) return unexpected(json, path, "an object");
  Attrs attrs;
  for (const auto& [key, value] : *json.as_table()) {
    CH_TRY(attrs[from_utf8(key)], attr_from(value, cat(path, ".", key)));
  }
  return attrs;
}

std::string to_json(const Attrs& attrs) {
  return to_json(tree_of(attrs));
}

Result<Attrs> attrs_from_json(std::string_view text) {
  CH_TRY(const Tree json, parse_json(text, "the attributes"));
  return attrs_from(json, "attributes");
}

}  // namespace chop::ir
