#include "hardware/integer/op_def.hpp"
#include "hardware/lowering/lowering_def.hpp"
#include "ops/core/registry.hpp"

#include "lowerings.inc"

namespace chop::hardware {

std::span<const LoweringDef> all_lowerings() {
  static const std::vector<LoweringDef> table = lowerings::collected();
  return table;
}

ops::Call LoweringCall::call() const {
  return {op_of(node_), node_.attrs};
}

std::int64_t LoweringCall::find(std::string_view param) const {
  const ops::TypedCall typed{{op_of(node_), node_.attrs}, types_};
  return typed.find(param);
}

Result<std::size_t> LoweringCall::codes(std::size_t operand) const {
  const Traced& traced = *in_[operand];
  const std::string which = cat("its operand data_in_", operand, " is ");
  if (traced.kind == Traced::Kind::Real)
    return Error{.what = cat(which, "the float32 input '", traced.placeholder, "'"),
                 .hint = "give the operand a fixed-point format"};
  if (traced.kind == Traced::Kind::Constant)
    return Error{.what = cat(which, "a constant, which only weights may be")};
  if (!traced.pending.empty())
    return Error{.what = cat(which, "a real number, made by ", traced.pending.back().what),
                 .hint = "give the operand a fixed-point format"};
  return traced.node;
}

Result<LoweringCall::Scaled> LoweringCall::scaled_codes(std::size_t operand) const {
  const Traced& traced = *in_[operand];
  if (traced.kind == Traced::Kind::Integer && traced.pending.size() == 1 &&
      traced.pending[0].step != 0)
    return Scaled{traced.node, traced.pending[0].step};
  CH_TRY(const std::size_t node, codes(operand));
  return Scaled{.node = node};
}

Result<ConstantCodes> LoweringCall::constant(std::size_t operand) const {
  const Traced& traced = *in_[operand];
  if (traced.kind != Traced::Kind::Constant)
    return Error{.what = cat("its operand ", operand, " is computed, and must be a constant")};
  Result<ConstantCodes> result = constant_codes(traced);
  if (result) return result;
  const std::vector<std::string> names = operand_names(op_of(node_), node_.attrs, 1);
  const std::string name = operand < names.size() ? names[operand] : cat("operand ", operand);
  return Error{.what = cat("its ", name, " ", result.error().what), .hint = result.error().hint};
}

std::string LoweringCall::unused(std::string name) const {
  const auto taken = [&](const std::string& wanted) {
    for (const IntegerNode& node : to_.nodes)
      if (node.name == wanted) return true;
    return false;
  };
  if (!taken(name)) return name;
  for (int i = 1;; ++i)
    if (std::string other = cat(name, "_", i); !taken(other)) return other;
}

Result<Traced> LoweringCall::add(IntegerNode node) {
  node.name = unused(node.name);
  const IntegerOpDef& op = *find_integer_op(node.op);
  const auto elements = static_cast<std::size_t>(numel(node.type.shape));
  node.type.ranges.resize(elements);
  const IntegerCall call = call_of(to_, node);
  CH_CHECK(check(op, call));
  if (op.ranges != nullptr) node.type.ranges = op.ranges(call);
  for (const Interval& range : node.type.ranges)
    if (!range.is_bounded())
      return Error{.what = "its results need more than 61 bits", .hint = "use narrower formats"};
  to_.nodes.push_back(std::move(node));
  return Traced{.kind = Traced::Kind::Integer, .node = to_.nodes.size() - 1};
}

Result<Traced> LoweringCall::add_input(IntegerNode node, std::string placeholder,
                                       NumberFormat format, double step) {
  node.name = unused(node.name);
  to_.nodes.push_back(std::move(node));
  to_.inputs.push_back({to_.nodes.size() - 1, std::move(placeholder), std::move(format), step});
  return Traced{.kind = Traced::Kind::Integer, .node = to_.nodes.size() - 1};
}

std::string float_remark(std::int64_t units) {
  if (units <= std::int64_t{1} << 24) return "";
  const int bits = width_of({0, units});
  return cat("sums of up to ", bits, " bits, of which float32 keeps 24");
}

}  // namespace chop::hardware
