// Sums and differences: of two results, whose binary points are aligned, or of one and a constant.
// Nothing is rounded; constants without a format wait, as a bias does.
#include "hardware/lowering/matrix.hpp"
#include "hardware/lowering/operands.hpp"

namespace chop::hardware::lowerings::add {
namespace {

Result<Traced> lower_known(LoweringCall& call, const KnownOperand& known) {
  const bool is_add = call.node().op == "add";
  const std::int64_t sign_x = is_add || known.computed == 0 ? 1 : -1;
  const double sign_c = is_add || known.computed == 1 ? 1 : -1;
  const Traced& in = call.in(known.computed);
  if (known.codes && in.pending.empty()) {
    CH_TRY(const std::size_t x, call.codes(known.computed));
    const int own = call.at(x).type.frac;
    ExactAffine exact{.factor = {}, .offset = {}, .frac = std::max(own, known.codes->frac)};
    if (exact.frac - std::min(own, known.codes->frac) <= 40) {
      exact.factor = {shifted(sign_x, exact.frac - own)};
      for (const std::int64_t code : known.codes->codes)
        exact.offset.push_back(static_cast<std::int64_t>(sign_c) *
                               shifted(code, exact.frac - known.codes->frac));
      return lower_affine(call, x, std::move(exact));
    }
  }
  if (in.kind != Traced::Kind::Integer) {
    CH_TRY([[maybe_unused]] const std::size_t codes, call.codes(known.computed));
  }
  std::vector<double> shift = known.values;
  for (double& value : shift) value *= sign_c;
  const std::vector<double> scale(shift.size(), static_cast<double>(sign_x));
  Traced result = in;
  result.pending.push_back(
      pending_affine(cat(call.node().op, " ", call.node().name), scale, shift, known.values));
  return result;
}

Result<Traced> lower(LoweringCall& call) {
  CH_TRY(const std::optional<KnownOperand> known, known_operand(call));
  if (known) return lower_known(call, *known);
  CH_TRY(const std::size_t a, stretched(call, 0));
  CH_TRY(const std::size_t b, stretched(call, 1));
  const int frac_a = call.at(a).type.frac;
  const int frac_b = call.at(b).type.frac;
  const int frac = std::max(frac_a, frac_b);
  const std::int64_t sign = call.node().op == "add" ? 1 : -1;
  IntegerNode node{
      .name = call.node().name,
      .op = "add",
      .inputs = {a, b},
      .attrs = {{"shift_a", {frac - frac_a}}, {"shift_b", {frac - frac_b}}, {"sign", {sign}}},
      .type = {.shape = call.result_shape(), .frac = frac}};
  const Interval sum = Interval{0, shifted(call.at(a).type.range().magnitude(), frac - frac_a)} +
                       Interval{0, shifted(call.at(b).type.range().magnitude(), frac - frac_b)};
  node.remark = float_remark(sum.high);
  return call.add(std::move(node));
}

}  // namespace

LoweringDef define() {
  return {.name = "add",
          .takes = [](const Node& node,
                      const OpDef& /*op*/) { return node.op == "add" || node.op == "sub"; },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::add
