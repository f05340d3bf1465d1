#include "report/tree_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace chop {

using Json = nlohmann::ordered_json;

Json to_json(const Tree& tree) {
  if (const bool* flag = tree.as_flag()) return *flag;
  if (const std::int64_t* whole = tree.as_integer()) return *whole;
  if (const double* real = tree.as_real()) return std::isfinite(*real) ? Json(*real) : Json();
  if (const std::string* text = tree.as_text()) return *text;
  if (const Tree::List* items = tree.as_list()) {
    Json json = Json::array();
    for (const Tree& item : *items) json.push_back(to_json(item));
    return json;
  }
  if (const Tree::Table* entries = tree.as_table()) {
    Json json = Json::object();
    for (const auto& [key, value] : *entries) json[key] = to_json(value);
    return json;
  }
  return {};
}

Tree tree_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    Tree list = Tree::list();
    for (const Json& item : json) list.push(tree_of(item));
    return list;
  }
  if (json.is_object()) {
    Tree table = Tree::table();
    for (const auto& [key, value] : json.items()) table.set(key, tree_of(value));
    return table;
  }
  return {};
}

Tree tree_of(const Table& table) {
  return tree_of(to_json(table));
}

}  // namespace chop
