#include "passes/quantise_config.hpp"

#include "formats/registry.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::passes {
namespace {

constexpr std::string_view kAuto = "auto";

bool has_param(const OpDef& op, std::string_view name) {
  return std::any_of(op.params.begin(), op.params.end(),
                     [name](const ParamDef& param) { return param.name == name; });
}

/// Defaults of a node's operands: the dimensions blocks are cut from, and whether there is a sign.
Attrs implied(const FormatDef& def, const Quantisable& group, const Operand& operand) {
  Attrs attrs;
  if (find_field(def.keys, "skip_first_dim") != nullptr)
    attrs["skip_first_dim"] = operand.type.shape.size() > 2 ||
                              (operand.type.shape.size() == 2 && !operand.is_parameter());
  if (!group.is_signed && find_field(def.keys, "is_signed") != nullptr) attrs["is_signed"] = false;
  return attrs;
}

/// `name = "integer"`, or nothing for "NA"; an error for unknown formats.
Result<std::string> format_name(std::string_view key, const Tree& value) {
  if (value.is_null()) return std::string();
  if (value.as_text() == nullptr)
    return Error{.what = cat(key, " is ", kind_of(value)), .hint = "it is the name of a format"};
  CH_TRY(const FormatDef* found, find_format(*value.as_text()));
  static_cast<void>(found);
  return *value.as_text();
}

}  // namespace

std::vector<std::string> known_keys(const FormatDef& def) {
  std::vector<std::string> known = names_of(def.keys);
  for (const std::string_view group : kOperandGroups)
    for (const Field& key : def.keys) known.push_back(cat(group, "_", key.name));
  return known;
}

std::vector<std::string> operands_of_group(const Node& node, std::string_view group) {
  if (group == kDataOut) return {"data_out_0"};
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
  error.notes.push_back(source_.file.empty() ? source_.path
                                             : cat(source_.path, " of ", source_.file));
  return error;
}

const FormatDef* QuantiseConfig::format_of(std::string_view group) const {
  const auto own = own_formats_.find(group);
  const std::string& name = own == own_formats_.end() ? format_ : own->second;
  return name.empty() ? nullptr : find_format(name).value();
}

bool QuantiseConfig::is_configured(std::string_view group) const {
  return own_formats_.contains(group) ||
         std::any_of(keys_.begin(), keys_.end(),
                     [group](const Key& key) { return key.operand == group; });
}

Result<QuantiseConfig> QuantiseConfig::read(const Tree& config, const ArgSource& source) {
  QuantiseConfig made;
  made.source_ = source;
  const Tree* name = config.find("name");
  if (name == nullptr)
    return made.located({.what = cat(source.path, " has no name"),
                         .hint =
                             "name = \"integer\" or another of `ch format --list`; \"NA\" leaves "
                             "nodes as they are"});
  Result<std::string> format = format_name(cat(source.path, ".name"), *name);
  if (!format) return made.located(std::move(format).error());
  made.format_ = std::move(format).value();
  for (const auto& [key, value] : *config.as_table())
    if (Status status = made.take_key(key, value); !status)
      return made.located(std::move(status).error());
  for (const Key& key : made.keys_) CH_CHECK(made.check_key(key));
  return made;
}

Status QuantiseConfig::take_key(const std::string& key, const Tree& value) {
  if (key == "name") return {};
  if (key == "bypass") {
    if (value.as_flag() == nullptr)
      return Error{.what = cat(source_.path, ".bypass = ", to_text(value)),
                   .hint = "bypass is true or false"};
    bypass_ = *value.as_flag();
    return {};
  }
  Key one{.name = key, .value = value};
  for (const std::string_view group : kOperandGroups)
    if (key.starts_with(cat(group, "_")))
      one = {std::string(group), key.substr(group.size() + 1), value};
  if (one.name == "name") {
    CH_TRY(own_formats_[one.operand], format_name(key, value));
    return {};
  }
  keys_.push_back(std::move(one));
  return {};
}

/// Every key must belong to the format of its operand; a key for several operands to at least one
/// of their formats.
Status QuantiseConfig::check_key(const Key& key) const {
  std::string tried;
  std::vector<std::string> known;
  for (const std::string_view group : kOperandGroups) {
    const FormatDef* def = format_of(group);
    if (def == nullptr || (!key.operand.empty() && key.operand != group)) continue;
    if (find_field(def->keys, key.name) != nullptr) return {};
    tried = def->name;
    for (std::string& one : known_keys(*def)) known.push_back(std::move(one));
  }
  if (tried.empty()) return {};  // nothing is quantised
  const std::string full = full_name(key);
  return located({.what = cat("'", full, "' is no key of the format ", tried),
                  .hint = cat(did_you_mean(full, known),
                              "`ch format --list` lists keys; each takes data_in_, weight_, bias_ "
                              "or data_out_ before it")});
}

Result<NumberFormat> QuantiseConfig::format_for(const FormatDef& def, const Quantisable& wanted,
                                                const Operand& operand, bool& open) {
  NumberFormat format{.name = std::string(def.name), .config = implied(def, wanted, operand)};
  if (const auto own = own_formats_.find(wanted.operand); own != own_formats_.end())
    format.name = own->second;
  else
    format.name = format_;
  const std::string_view decided = def.learned.empty() ? def.calibration.key : def.learned;
  open = def.calibration.when_absent || !def.learned.empty();
  for (const Key& key : keys_) {
    if (!key.operand.empty() && key.operand != wanted.operand) continue;
    if (find_field(def.keys, key.name) == nullptr) continue;  // for operands of another format
    used_.insert(full_name(key));
    if (key.name == decided) open = key.value.as_text() != nullptr && *key.value.as_text() == kAuto;
    if (key.value.is_null() || (key.name == decided && open)) continue;
    std::optional<Attr> value = attr_of(key.value);
    if (!value)
      return Error{.what = cat(to_text(key.value), " is not a value for a format"),
                   .notes = {cat(wanted.operand, "_", key.name)}};
    format.config[key.name] = std::move(*value);
  }
  CH_TRY(NumberFormat whole, complete(format));
  return open ? format : whole;
}

Status QuantiseConfig::take_group(const Quantisable& wanted, const Node& node,
                                  const std::vector<Operand>& operands, NodeFormats& found) {
  const std::string_view group = wanted.operand;
  const FormatDef* def = format_of(group);
  if (def == nullptr) return {};
  const bool configured = is_configured(group);
  const bool all_configured =
      std::any_of(keys_.begin(), keys_.end(), [](const Key& key) { return key.operand.empty(); });
  if (!configured && (group == kDataOut || (!wanted.required && !all_configured))) return {};
  // Keys for results alone leave what a node reads as it is.
  const bool results_alone =
      !keys_.empty() && std::all_of(keys_.begin(), keys_.end(),
                                    [](const Key& key) { return key.operand == kDataOut; });
  if (!configured && results_alone) return {};
  const bool others_configured = !keys_.empty() && !all_configured;
  if (!configured && others_configured && complete({std::string(def->name), {}})) return {};
  for (const std::string& target : operands_of_group(node, group)) {
    const auto operand = std::find_if(operands.begin(), operands.end(),
                                      [&](const Operand& one) { return one.name == target; });
    if (operand == operands.end()) continue;  // a layer without bias
    bool open = false;
    Result<NumberFormat> format = format_for(*def, wanted, *operand, open);
    if (!format) {
      Error error = std::move(format).error();
      error.what = cat("node '", node.name, "', ", group, "_*: ", error.what);
      return located(std::move(error));
    }
    if (open) found.open_keys[target] = std::string(def->calibration.key);
    found.formats[target] = std::move(format).value();
  }
  return {};
}

Result<QuantiseConfig::NodeFormats> QuantiseConfig::formats_for(
    const Node& node, const std::vector<Operand>& operands) {
  NodeFormats found;
  for (const Quantisable& one : op_of(node).quantisable)
    CH_CHECK(take_group(one, node, operands, found));
  CH_CHECK(take_group({kDataOut, false}, node, operands, found));
  return found;
}

std::vector<std::string> QuantiseConfig::unused() const {
  std::vector<std::string> left;
  for (const Key& key : keys_)
    if (!used_.contains(full_name(key))) left.push_back(full_name(key));
  return left;
}

std::set<std::string> QuantiseConfig::unused_operands() const {
  std::set<std::string> operands;
  for (const Key& key : keys_)
    if (!used_.contains(full_name(key))) operands.insert(key.operand);
  return operands;
}

std::string QuantiseConfig::full_name(const Key& key) {
  return key.operand.empty() ? key.name : cat(key.operand, "_", key.name);
}

}  // namespace chop::passes
