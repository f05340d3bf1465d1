#include "ir/stat_json.hpp"

#include "ir/json_fields.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::ir {
namespace {

constexpr std::size_t kMostDimensions = 16;

/// The shortest decimal that gives the float back; what JSON has no number for is a text.
Tree element_tree(float value) {
  if (std::isfinite(value)) return *parse_double(exact(value));
  return exact_bits(value);
}

Tree element_tree(const Tensor& tensor, std::size_t index) {
  if (tensor.dtype() == DType::I64) return tensor.data<std::int64_t>()[index];
  return element_tree(tensor.data<float>()[index]);
}

Tree nested(const Tensor& tensor, std::size_t axis, std::size_t& next) {
  if (axis == tensor.shape().size()) return element_tree(tensor, next++);
  Tree::List list;
  for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i)
    list.push_back(nested(tensor, axis + 1, next));
  return list;
}

Tree tree_of(const Tensor& tensor) {
  const Tensor plain =
      tensor.dtype() == DType::I64 || tensor.dtype() == DType::F32 ? tensor : tensor.to(DType::F32);
  if (plain.rank() > 0 && plain.size() > 0) {
    std::size_t next = 0;
    return nested(plain, 0, next);
  }
  Tree::List data;
  for (std::size_t i = 0; i < static_cast<std::size_t>(plain.size()); ++i)
    data.push_back(element_tree(plain, i));
  return Tree::Table{
      {"tensor", name_of(plain.dtype())}, {"shape", plain.shape()}, {"data", std::move(data)}};
}

/// The numbers of a nested list in order, and its shape.
struct Flat {
  Shape shape;
  std::vector<const Tree*> elements;
};

Status flatten(const Tree& json, std::size_t depth, Flat& flat, const std::string& path) {
  if (!json.is_list()) {
    if (depth != flat.shape.size()) return unexpected(json, path, "a list as long as its siblings");
    flat.elements.push_back(&json);
    return {};
  }
  const auto length = static_cast<std::int64_t>(json.size());
  if (depth == flat.shape.size() && flat.elements.empty()) {
    if (depth == kMostDimensions) return Error{.what = cat(path, ": too many dimensions")};
    flat.shape.push_back(length);
  }
  if (depth >= flat.shape.size() || flat.shape[depth] != length || length == 0)
    return Error{.what = cat(path, ": the rows of a tensor must have the same length")};
  for (std::size_t i = 0; i < json.size(); ++i)
    CH_CHECK(flatten(json[i], depth + 1, flat, cat(path, "[", i, "]")));
  return {};
}

Result<Tensor> fill(DType dtype, const Flat& flat, const std::string& path) {
  if (static_cast<std::size_t>(numel(flat.shape)) != flat.elements.size())
    return Error{.what = cat(path, ": ", flat.elements.size(), " values for a tensor of shape ",
                             to_string(flat.shape))};
  Tensor tensor(dtype, flat.shape);
  for (std::size_t i = 0; i < flat.elements.size(); ++i) {
    const Tree& element = *flat.elements[i];
    if (dtype == DType::I64) {
      CH_TRY(tensor.mutable_data<std::int64_t>()[i], integer_from(element, path));
    } else if (element.is_number()) {
      const double value = element.number();
      if (std::abs(value) > double{std::numeric_limits<float>::max()})
        return Error{.what = cat(path, ": ", exact(value), " does not fit single precision")};
      tensor.mutable_data<float>()[i] = static_cast<float>(value);
    } else if (const auto value =
                   element.is_text() ? parse_exact_float(*element.as_text()) : std::nullopt) {
      tensor.mutable_data<float>()[i] = *value;
    } else {
      return unexpected(element, path, "a number, or \"nan\", \"inf\" or \"-inf\"");
    }
  }
  return tensor;
}

Result<Tensor> spelt_out(const Tree& json, const std::string& path) {
  CH_CHECK(check_object(json, path, {"tensor", "shape", "data"}));
  CH_TRY(const std::string name, text_from(json["tensor"], path + ".tensor"));
  CH_TRY(const DType dtype, dtype_from_name(name));
  if (dtype != DType::F32 && dtype != DType::I64)
    return Error{.what = cat(path, ": statistics hold f32 and i64, not ", name)};
  Flat flat;
  CH_TRY(flat.shape, integers_from(json["shape"], path + ".shape"));
  // Every other tensor is a nested list.
  const Tree::List* data = json["data"].as_list();
  if (data == nullptr || data->size() > 1)
    return unexpected(json["data"], path + ".data", "a list of one number, or of none");
  if (flat.shape.size() > kMostDimensions ||
      std::any_of(flat.shape.begin(), flat.shape.end(), [](auto dim) { return dim < 0; }) ||
      (!flat.shape.empty() &&
       std::find(flat.shape.begin(), flat.shape.end(), 0) == flat.shape.end()))
    return Error{.what = cat(path, ".shape: ", to_string(flat.shape), " has elements or is none")};
  for (const Tree& element : *data) flat.elements.push_back(&element);
  return fill(dtype, flat, path);
}

Result<StatValue> value_from(const Tree& json, const std::string& path) {
  if (json.is_list()) {
    Flat flat;
    CH_CHECK(flatten(json, 0, flat, path));
    const bool whole = std::all_of(flat.elements.begin(), flat.elements.end(),
                                   [](const Tree* item) { return item->as_integer() != nullptr; });
    CH_TRY(Tensor tensor, fill(whole ? DType::I64 : DType::F32, flat, path));
    return StatValue(std::move(tensor));
  }
  if (json.is_table() && json.contains("tensor")) {
    CH_TRY(Tensor tensor, spelt_out(json, path));
    return StatValue(std::move(tensor));
  }
  CH_TRY(const Attrs one, attrs_from(Tree::Table{{"value", json}}, path));
  const Attr& attr = one.at("value");
  if (const auto* integer = std::get_if<std::int64_t>(&attr)) return StatValue(*integer);
  if (const auto* real = std::get_if<double>(&attr)) return StatValue(*real);
  if (const auto* text = std::get_if<std::string>(&attr)) return StatValue(*text);
  return unexpected(json, path, "a number, a text or a list");
}

}  // namespace

bool same_bits(const StatValue& a, const StatValue& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr) return same_bits(Attr(*x), Attr(*y));
  return a == b;
}

Tree tree_of(const StatValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return tree_of(Attr(*real));
  if (const auto* text = std::get_if<std::string>(&value)) return to_utf8(*text);
  return tree_of(std::get<Tensor>(value));
}

Tree tree_of(const Stats& stats) {
  Tree::Table table;
  for (const auto& [stat, values] : stats) {
    Tree::Table entry;
    for (const auto& [key, value] : values) entry.emplace_back(to_utf8(key), tree_of(value));
    table.emplace_back(to_utf8(stat), std::move(entry));
  }
  return table;
}

Result<Stats> stats_from_json(const Tree& json, const std::string& path) {
  if (!json.is_table()) return unexpected(json, path, "an object");
  Stats stats;
  for (const auto& [stat, values] : *json.as_table()) {
    const std::string at = cat(path, ".", stat);
    if (!values.is_table()) return unexpected(values, at, "an object");
    auto& entry = stats[from_utf8(stat)];
    for (const auto& [key, value] : *values.as_table()) {
      CH_TRY(entry[from_utf8(key)], value_from(value, cat(at, ".", key)));
    }
  }
  return stats;
}

}  // namespace chop::ir
