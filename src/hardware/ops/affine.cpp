// y = clamp(floor((factor · x + offset) / 2^shift), low, high) per channel: a normalisation and the
// format behind it. The offset holds the half that rounds.
#include "hardware/netlist/element_op.hpp"

namespace chop::hardware::integer_ops::affine {
namespace {

struct Rule {
  std::int64_t factor;
  std::int64_t offset;
  int shift;
  Interval bounds;

  Rule(const IntegerNode& node, std::size_t i)
      : factor(node.at("factor", i)),
        offset(node.at("offset", i)),
        shift(static_cast<int>(node.at("shift", i))),
        bounds{node.at("low", i), node.at("high", i)} {}
  std::int64_t operator()(std::int64_t x) const {
    return std::clamp(shifted(factor * x + offset, -shift), bounds.low, bounds.high);
  }
  Interval range(const Interval& x) const {
    const Interval ends{(*this)(x.low), (*this)(x.high)};
    return factor < 0 ? Interval{ends.high, ends.low} : ends;
  }
  WireId build(LayerBuilder& layer, WireId x) const {
    const LinearMap map{.rows = 1, .columns = 1, .weight = {factor}, .bias = {offset}};
    const WireId sum = build_linear(layer.cells(), map, {&x, 1}, layer.adders())[0];
    return layer.cells().clamp(layer.cells().shift(sum, -shift), bounds);
  }
};

Status check(const IntegerCall& call) {
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Rule rule(call.node, i);
    if (rule.bounds.low > rule.bounds.high || rule.shift < 0 || rule.shift > 61)
      return Error{.what = "its bounds or its shift are not possible"};
    const Interval product =
        call.in[0]->ranges[i] * rule.factor + Interval{rule.offset, rule.offset};
    if (!product.is_bounded()) return Error{.what = "its product needs more than 61 bits"};
  }
  return {};
}

}  // namespace

IntegerOpDef define() {
  return element_op<Rule>(
      {.name = "affine",
       .doc = "y = clamp(floor((factor · x + offset) / 2^shift), low, high), per channel",
       .attrs = {"factor", "offset", "shift", "low", "high"},
       .check = check});
}

}  // namespace chop::hardware::integer_ops::affine
