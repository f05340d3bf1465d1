// y = clamp(x / 2^shift rounded as the format does, low, high): from one fixed-point grid to
// another.
#include "hardware/integer/rounding.hpp"
#include "hardware/netlist/element_op.hpp"

namespace chop::hardware::integer_ops::requantise {
namespace {

struct Rule {
  int shift;
  formats::Rounding rounding;
  Interval bounds;

  Rule(const IntegerNode& node, std::size_t i)
      : shift(static_cast<int>(node.at("shift", i))),
        rounding(static_cast<formats::Rounding>(node.list("rounding")[0])),
        bounds{node.at("low", i), node.at("high", i)} {}
  std::int64_t operator()(std::int64_t x) const {
    return std::clamp(divided(x, shift, rounding), bounds.low, bounds.high);
  }
  /// It never falls.
  Interval range(const Interval& x) const { return {(*this)(x.low), (*this)(x.high)}; }
  WireId build(LayerBuilder& layer, WireId x) const {
    ModuleBuilder& cells = layer.cells();
    // Bounds first: the adder that rounds is narrow then, and what is behind it is not joined with
    // what is in front of it.
    if (shift > 0 && rounding == formats::Rounding::HalfEven)
      return cells.round(cells.clamp(x, shifted(bounds, shift)), shift);
    if (shift > 0 && rounding == formats::Rounding::HalfUp)
      x = cells.add(x, cells.constant(std::int64_t{1} << (shift - 1)));
    return cells.clamp(cells.shift(x, -shift), bounds);
  }
};

Status check(const IntegerCall& call) {
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Rule rule(call.node, i);
    if (rule.bounds.low > rule.bounds.high || rule.shift > 61 || rule.shift < -61)
      return Error{.what = "its bounds or its shift are not possible"};
    if (!shifted(call.in[0]->ranges[i], std::max(0, -rule.shift)).is_bounded())
      return Error{.what = "it shifts beyond 61 bits"};
  }
  return {};
}

}  // namespace

IntegerOpDef define() {
  return element_op<Rule>(
      {.name = "requantise",
       .doc = "y = clamp(round(x / 2^shift), low, high); rounding 0: ties to even, 1: ties up, "
              "2: down",
       .attrs = {"shift", "rounding", "low", "high"},
       .check = check});
}

}  // namespace chop::hardware::integer_ops::requantise
