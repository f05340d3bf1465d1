// Sums and differences of two results: their binary points are aligned, nothing is rounded.
#include "hardware/lowering/lowering_def.hpp"
#include "ops/core/common.hpp"

namespace chop::hardware::lowerings::add {
namespace {

/// The operand with an element for each of the result's.
Result<std::size_t> stretched(LoweringCall& call, std::size_t operand) {
  CH_TRY(const std::size_t x, call.codes(operand));
  const Shape shape = call.result_shape();
  const Shape own = LoweringCall::sample(call.type(operand).shape);
  if (own == shape) return x;
  Codes index;
  const ops::BroadcastIndex from(own, shape);
  for (std::int64_t i = 0; i < numel(shape); ++i)
    index.push_back(static_cast<std::int64_t>(from(static_cast<std::size_t>(i))));
  CH_TRY(const Traced wide, call.add({.name = cat(call.node().name, "_", operand),
                                      .op = "select",
                                      .inputs = {x},
                                      .attrs = {{"index", std::move(index)}},
                                      .type = {.shape = shape, .frac = call.at(x).type.frac}}));
  return wide.node;
}

Result<Traced> lower(LoweringCall& call) {
  if (call.operands() != 2) return Error{.what = "it adds a number that has no format"};
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
