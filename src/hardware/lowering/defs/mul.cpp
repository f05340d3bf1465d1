// Products of two results, exact, and multiples by a constant; x / c is a multiple by 1 / c.
#include "hardware/lowering/matrix.hpp"
#include "hardware/lowering/operands.hpp"

namespace chop::hardware::lowerings::mul {
namespace {

Result<Traced> lower_known(LoweringCall& call, KnownOperand known) {
  if (call.node().op == "div") {
    if (known.computed != 0) return Error{.what = "it divides by a number that is computed"};
    for (double& value : known.values) value = 1 / value;
    known.codes.reset();
  }
  const Traced& in = call.in(known.computed);
  if (known.codes && in.pending.empty()) {
    CH_TRY(const std::size_t x, call.codes(known.computed));
    const int frac = call.at(x).type.frac + known.codes->frac;
    return lower_affine(call, x, {.factor = known.codes->codes, .offset = {0}, .frac = frac});
  }
  if (in.kind != Traced::Kind::Integer) {
    CH_TRY([[maybe_unused]] const std::size_t codes, call.codes(known.computed));
  }
  const std::vector<double> zeros(known.values.size());
  Traced result = in;
  result.pending.push_back(
      pending_affine(cat(call.node().op, " ", call.node().name), known.values, zeros, zeros));
  return result;
}

bool are_constants(const LoweringCall& call) {
  return call.operands() == 2 && call.in(0).kind == Traced::Kind::Constant &&
         call.in(1).kind == Traced::Kind::Constant && call.type(0).shape == call.type(1).shape;
}

/// A weight and its mask. What is 0 or itself is still on the grid of its format.
Traced constant_product(const LoweringCall& call) {
  Traced result = call.in(0);
  result.is_masked = true;
  const std::span<float> values = result.constant.mutable_data<float>();
  const std::span<const float> factors = call.in(1).constant.data<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (factors[i] != 0 && factors[i] != 1) {
      result.format.reset();
      result.is_masked = false;
    }
    values[i] *= factors[i];
  }
  return result;
}

Result<Traced> lower(LoweringCall& call) {
  if (call.node().op == "mul" && are_constants(call)) return constant_product(call);
  CH_TRY(std::optional<KnownOperand> known, known_operand(call));
  if (known) return lower_known(call, std::move(*known));
  if (call.node().op == "div") return Error{.what = "it divides by a number that is computed"};
  CH_TRY(const std::size_t a, stretched(call, 0));
  CH_TRY(const std::size_t b, stretched(call, 1));
  IntegerNode node{
      .name = call.node().name,
      .op = "mul",
      .inputs = {a, b},
      .type = {.shape = call.result_shape(), .frac = call.at(a).type.frac + call.at(b).type.frac}};
  const Interval product =
      Interval{0, call.at(a).type.range().magnitude()} * call.at(b).type.range().magnitude();
  node.remark = float_remark(product.high);
  return call.add(std::move(node));
}

}  // namespace

LoweringDef define() {
  return {.name = "mul",
          .takes = [](const Node& node,
                      const OpDef& /*op*/) { return node.op == "mul" || node.op == "div"; },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::mul
