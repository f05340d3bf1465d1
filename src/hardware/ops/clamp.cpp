// y = min(max(x, low), high): ReLU and its family.
#include "hardware/netlist/element_op.hpp"

namespace chop::hardware::integer_ops::clamp {
namespace {

struct Rule {
  Interval bounds;

  Rule(const IntegerNode& node, std::size_t i) : bounds{node.at("low", i), node.at("high", i)} {}
  std::int64_t operator()(std::int64_t x) const { return std::clamp(x, bounds.low, bounds.high); }
  Interval range(const Interval& x) const { return clamped(x, bounds); }
  WireId build(LayerBuilder& layer, WireId x) const { return layer.cells().clamp(x, bounds); }
};

Status check(const IntegerCall& call) {
  for (std::size_t i = 0; i < call.size(); ++i)
    if (const Interval bounds = Rule(call.node, i).bounds; bounds.low > bounds.high)
      return Error{.what = "its lower bound is above the upper one"};
  return {};
}

}  // namespace

IntegerOpDef define() {
  return element_op<Rule>({.name = "clamp",
                           .doc = "y = min(max(x, low), high)",
                           .attrs = {"low", "high"},
                           .check = check});
}

}  // namespace chop::hardware::integer_ops::clamp
