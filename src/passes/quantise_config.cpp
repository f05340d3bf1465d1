#include "passes/quantise_config.hpp"

#include <algorithm>
#include <array>

#include "formats/registry.hpp"
#include "ops/registry.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

constexpr std::array<std::string_view, 4> kGroups = {"data_in", "weight", "bias", "data_out"};
constexpr std::string_view kAuto = "auto";

const KeyDef* find_key(const FormatDef& def, std::string_view name) {
  const auto found = std::find_if(def.keys.begin(), def.keys.end(),
                                  [name](const KeyDef& key) { return key.name == name; });
  return found == def.keys.end() ? nullptr : &*found;
}

std::vector<std::string> known_keys(const FormatDef& def) {
  std::vector<std::string> known;
  for (const std::string_view group : kGroups)
    for (const KeyDef& key : def.keys) known.push_back(cat(group, "_", key.name));
  return known;
}

Result<Attr> attr_of(const Tree& value) {
  if (const bool* flag = value.as_flag()) return Attr(*flag);
  if (const std::int64_t* whole = value.as_integer()) return Attr(*whole);
  if (const double* real = value.as_real()) return Attr(*real);
  if (const std::string* text = value.as_text()) return Attr(*text);
  const Tree::List* items = value.as_list();
  if (items == nullptr) return Error{.what = cat("a format cannot be told ", kind_of(value))};
  Ints whole;
  std::vector<double> reals;
  for (const Tree& item : *items) {
    if (const std::int64_t* one = item.as_integer()) {
      whole.push_back(*one);
      reals.push_back(static_cast<double>(*one));
    } else if (const double* real = item.as_real()) {
      reals.push_back(*real);
    } else {
      return Error{.what = cat("a list of numbers cannot hold ", kind_of(item))};
    }
  }
  if (whole.size() == reals.size()) return Attr(std::move(whole));
  return Attr(std::move(reals));
}

bool has_param(const OpDef& op, std::string_view name) {
  return std::any_of(op.params.begin(), op.params.end(),
                     [name](const ParamDef& param) { return param.name == name; });
}

/// What blocks are cut from, and whether there is a sign, where nobody says otherwise.
Attrs implied(const FormatDef& def, const Quantisable& group, const Operand& operand) {
  Attrs attrs;
  if (find_key(def, "skip_first_dim") != nullptr)
    attrs["skip_first_dim"] = operand.type.shape.size() > 2 ||
                              (operand.type.shape.size() == 2 && !operand.is_parameter());
  if (!group.is_signed && find_key(def, "is_signed") != nullptr) attrs["is_signed"] = false;
  return attrs;
}

}  // namespace

std::vector<std::string> operands_of_group(const Node& node, std::string_view group) {
  if (group == "data_out") return {"data_out_0"};
  const OpDef& op = op_of(node);
  const auto declares = [&op](std::string_view name) {
    return std::any_of(op.quantisable.begin(), op.quantisable.end(),
                       [name](const Quantisable& one) { return one.operand == name; });
  };
  if (!declares(group)) return {};
  const bool second_is_weight = declares("weight") && !has_param(op, "weight");
  if (group == "weight" && second_is_weight) return {"data_in_1"};
  if (group != "data_in") return {std::string(group)};
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (i != 1 || !second_is_weight) inputs.push_back(cat("data_in_", i));
  return inputs;
}

Error QuantiseConfig::located(Error error) const {
  error.notes.push_back(place_.file.empty() ? place_.path : cat(place_.path, " of ", place_.file));
  return error;
}

Result<QuantiseConfig> QuantiseConfig::read(const Tree& config, const ArgPlace& place) {
  QuantiseConfig made;
  made.place_ = place;
  const Tree* name = config.find("name");
  if (name == nullptr)
    return made.located({.what = cat(place.path, " has no name"),
                         .hint =
                             "name = \"integer\" or another of `ch format --list`; \"NA\" leaves "
                             "nodes as they are"});
  if (name->is_null()) return made;
  if (name->as_text() == nullptr)
    return made.located({.what = cat(place.path, ".name is ", kind_of(*name)),
                         .hint = "name is the name of a format"});
  made.format_ = *name->as_text();
  Result<const FormatDef*> found = find_format(made.format_);
  if (!found) return made.located(std::move(found).error());
  const FormatDef& def = *found.value();
  for (const auto& [key, value] : *config.as_table()) {
    if (key == "name") continue;
    if (key == "bypass") {
      if (value.as_flag() == nullptr)
        return made.located({.what = cat(place.path, ".bypass = ", to_text(value)),
                             .hint = "bypass is true or false"});
      made.bypass_ = *value.as_flag();
      continue;
    }
    Key one{.name = key, .value = value};
    for (const std::string_view group : kGroups)
      if (key.starts_with(cat(group, "_")))
        one = {std::string(group), key.substr(group.size() + 1), value};
    if (find_key(def, one.name) == nullptr)
      return made.located(
          {.what = cat("'", key, "' is no key of the format ", made.format_),
           .hint = cat(did_you_mean(key, known_keys(def)), "`ch format ", made.format_,
                       "` lists its keys; each takes data_in_, "
                       "weight_, bias_ or data_out_ before it")});
    made.keys_.push_back(std::move(one));
  }
  return made;
}

Status QuantiseConfig::take_group(const Quantisable& wanted, const Node& node,
                                  const std::vector<Operand>& operands, NodeFormats& found) {
  const std::string_view group = wanted.operand;
  const FormatDef& def = *find_format(format_).value();
  const bool named = std::any_of(keys_.begin(), keys_.end(),
                                 [group](const Key& key) { return key.operand == group; });
  const bool for_all =
      std::any_of(keys_.begin(), keys_.end(), [](const Key& key) { return key.operand.empty(); });
  if (!named && (group == "data_out" || (!wanted.required && !for_all))) return {};
  for (const std::string& target : operands_of_group(node, group)) {
    const auto operand = std::find_if(operands.begin(), operands.end(),
                                      [&](const Operand& one) { return one.name == target; });
    if (operand == operands.end()) continue;  // a layer without bias
    NumberFormat format{.name = format_, .config = implied(def, wanted, *operand)};
    const std::string_view decided = def.learned.empty() ? def.calibration.key : def.learned;
    bool open = def.calibration.when_absent || !def.learned.empty();
    for (const Key& key : keys_) {
      if (!key.operand.empty() && key.operand != group) continue;
      used_.insert(cat(key.operand.empty() ? "" : key.operand + "_", key.name));
      if (key.name == decided)
        open = key.value.as_text() != nullptr && *key.value.as_text() == kAuto;
      if (key.value.is_null() || (key.name == decided && open)) continue;
      Result<Attr> value = attr_of(key.value);
      if (!value) return located(std::move(value).error().note(cat(group, "_", key.name)));
      format.config[key.name] = std::move(value).value();
    }
    if (open) found.open_keys[target] = std::string(decided);
    Result<NumberFormat> complete_one = complete(format);
    if (!complete_one) {
      Error error = std::move(complete_one).error();
      error.what = cat("node '", node.name, "', ", group, "_*: ", error.what);
      return located(std::move(error));
    }
    found.formats[target] = open ? format : std::move(complete_one).value();
  }
  return {};
}

Result<QuantiseConfig::NodeFormats> QuantiseConfig::formats_for(
    const Node& node, const std::vector<Operand>& operands) {
  NodeFormats found;
  for (const Quantisable& one : op_of(node).quantisable)
    CH_CHECK(take_group(one, node, operands, found));
  CH_CHECK(take_group({"data_out", false}, node, operands, found));
  return found;
}

std::vector<std::string> QuantiseConfig::unused() const {
  std::vector<std::string> left;
  for (const Key& key : keys_) {
    std::string full = cat(key.operand.empty() ? "" : key.operand + "_", key.name);
    if (!used_.contains(full)) left.push_back(std::move(full));
  }
  return left;
}

}  // namespace chop
