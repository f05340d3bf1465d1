#include "ops/core/registry.hpp"

#include <unordered_map>

#include "ops/core/common.hpp"
#include "support/text.hpp"

#include "ops.inc"

namespace chop::ops {
namespace {

const std::unordered_map<std::string_view, const OpDef*>& by_name() {
  static const auto table = [] {
    std::unordered_map<std::string_view, const OpDef*> map;
    for (const OpDef& op : all_ops()) map.emplace(op.name, &op);
    return map;
  }();
  return table;
}

/// "torch.nn.functional.relu" of the call "F.relu(x)", "torch.cat" of "torch.cat(xs)"; nothing of
/// an expression that does not start with a call.
std::string_view called_function(std::string_view expression) {
  const std::string_view callee = expression.substr(0, expression.find('('));
  const std::size_t dot = callee.find('.');
  if (dot == callee.npos || callee.find_first_of(". ", dot + 1) != callee.npos) return {};
  const std::string_view from = callee.substr(0, dot);
  if (from == "torch") return callee;
  return from == "F" ? kept(cat("torch.nn.functional.", callee.substr(dot + 1))) : "";
}

/// Parameters follow the data inputs, absent ones leaving no gap.
std::int64_t find_param(const Call& call, std::size_t operands, std::string_view param) {
  std::int64_t present = 0;
  std::int64_t at = -1;
  for (const ParamDef& def : call.op.params) {
    if (!is_present(def, call)) continue;
    if (def.name == param) at = present;
    ++present;
  }
  return at < 0 ? -1 : static_cast<std::int64_t>(operands) - present + at;
}

}  // namespace

std::string_view name_of(MaseType type) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "module", "module_related_func", "builtin_func", "implicit_func", "gradient"};
  return kNames.at(static_cast<std::size_t>(type));
}

std::span<const OpDef> all_ops() {
  static const std::vector<OpDef> table = [] {
    std::vector<OpDef> ops = collected();
    for (OpDef& op : ops) {
      op.max_inputs = std::max(op.min_inputs, op.max_inputs);
      if (op.function.empty()) op.function = called_function(op.torch);
      for (const Field& attr : op.attrs) op.defaults[std::string(attr.name)] = default_of(attr);
    }
    return ops;
  }();
  return table;
}

Result<const OpDef*> find_op(std::string_view name) {
  if (const auto found = by_name().find(name); found != by_name().end()) return found->second;
  std::vector<std::string> names;
  for (const OpDef& op : all_ops()) names.emplace_back(op.name);
  return Error{.what = cat("unknown op '", name, "'"),
               .hint = cat(did_you_mean(name, names), "`ch ops` lists all ", names.size())};
}

const OpDef& op_of(const Node& node) {
  const auto found = by_name().find(node.op);
  assert(found != by_name().end() && "a verified graph holds only registered ops");
  return *found->second;
}

bool is_training(const Node& node) {
  const auto found = node.attrs.find(kTrainingAttr);
  return found != node.attrs.end() && std::get<bool>(found->second);
}

const Attr& Call::attr(std::string_view name) const {
  if (const auto found = attrs.find(std::string(name)); found != attrs.end()) return found->second;
  const auto usual = op.defaults.find(std::string(name));
  assert(usual != op.defaults.end() && "an op asked for an attribute it does not declare");
  return usual->second;
}

Ints Call::ints(std::string_view name, std::size_t count) const {
  const Ints& given = ints(name);
  return given.size() == 1 ? Ints(count, given.front()) : given;
}

std::int64_t TypedCall::find(std::string_view param) const {
  return find_param(*this, in.size(), param);
}

std::int64_t ForwardCall::find(std::string_view param) const {
  return find_param(*this, in.size(), param);
}

bool is_present(const ParamDef& param, const Call& call) {
  if (param.when.empty()) return true;
  const Attr& attr = call.attr(param.when);
  const auto* number = std::get_if<std::int64_t>(&attr);
  return number != nullptr ? *number > 0 : std::get<bool>(attr);
}

const ParamDef* mask_of(const Call& call) {
  for (const ParamDef& def : call.op.params)
    if (def.role == ParamRole::Mask && is_present(def, call)) return &def;
  return nullptr;
}

std::vector<std::string> operand_names(const OpDef& op, const Attrs& attrs,
                                       std::size_t data_inputs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < data_inputs; ++i) names.push_back(cat("data_in_", i));
  for (const ParamDef& param : op.params)
    if (is_present(param, {op, attrs})) names.emplace_back(param.name);
  return names;
}

Status check_attrs(const OpDef& op, Attrs& attrs, AttrsFrom from) {
  std::vector<Field> defs = op.attrs;
  if (const auto of = attrs.find(std::string(op.attrs_of)); of != attrs.end())
    if (const auto* inner = std::get_if<std::string>(&of->second)) {
      CH_TRY(const OpDef* named, find_op(*inner));
      defs.insert(defs.end(), named->attrs.begin(), named->attrs.end());
    }
  if (from == AttrsFrom::People) std::erase_if(defs, [](const Field& def) { return def.internal; });
  const std::vector<std::string> known = names_of(defs);
  for (auto& [name, value] : attrs) {
    const Field* def = find_field(defs, name);
    if (def == nullptr)
      return Error{.what = cat(op.name, " has no attribute '", name, "'"),
                   .hint = known.empty() ? cat(op.name, " takes no attributes")
                                         : cat(did_you_mean(name, known), op.name, " takes ",
                                               join(known, ", "))};
    Result<Attr> converted = convert(kind_of(*def), value);
    if (!converted)
      return std::move(converted).error().note(cat("attribute '", name, "' of ", op.name));
    value = std::move(converted).value();
  }
  CH_CHECK(check_allowed(op, attrs));
  for (const Field& def : op.attrs)
    if (def.required && !attrs.contains(std::string(def.name)))
      return Error{.what = cat(op.name, " needs the attribute '", def.name, "'"),
                   .hint = cat(def.name, ": ", def.doc)};
  return {};
}

Status check_allowed(const OpDef& op, const Attrs& attrs) {
  for (const Field& def : op.attrs) {
    const auto given = attrs.find(std::string(def.name));
    if (given == attrs.end()) continue;
    const auto refused = [&](const Tree& value, std::string_view shown) {
      return Error{.what = cat(op.name, " with ", def.name, "=", shown),
                   .hint = config::hint_for(def, value)};
    };
    const auto bounded = [&](double value) { return config::in_bounds(def.bounds, value); };
    if (const auto* text = std::get_if<std::string>(&given->second); text != nullptr) {
      if (!config::is_choice(def, *text)) return refused(*text, cat("'", *text, "'"));
    } else if (def.bounds == config::Bounds{}) {
      continue;
    } else if (const auto* real = std::get_if<double>(&given->second); real != nullptr) {
      if (!bounded(*real)) return refused(*real, python_repr(*real));
    } else if (const auto* whole = std::get_if<std::int64_t>(&given->second); whole != nullptr) {
      if (!bounded(static_cast<double>(*whole))) return refused(*whole, cat(*whole));
    } else if (const auto* wholes = std::get_if<Ints>(&given->second); wholes != nullptr) {
      if (!std::ranges::all_of(*wholes, bounded)) return refused(Tree(), to_string(*wholes));
    }
  }
  return {};
}

std::string module_repr(const OpDef& op, const Attrs& attrs) {
  return cat(op.module.empty() ? op.name : op.module, "(", op.repr ? op.repr({op, attrs}) : "",
             ")");
}

}  // namespace chop::ops
