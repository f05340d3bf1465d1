// y = clamp(x / 2^shift rounded as the format does, low, high): from one fixed-point grid to
// another.
#include "hardware/integer/rounding.hpp"
#include "hardware/netlist/layer_builder.hpp"

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
};

Status check(const IntegerCall& call) {
  if (call.in[0]->size() != call.size()) return Error{.what = "its input has another size"};
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Rule rule(call.node, i);
    if (rule.bounds.low > rule.bounds.high || rule.shift > 61 || rule.shift < -61)
      return Error{.what = "its bounds or its shift are not possible"};
    if (!shifted(call.in[0]->ranges[i], std::max(0, -rule.shift)).is_bounded())
      return Error{.what = "it shifts beyond 61 bits"};
  }
  return {};
}

std::vector<Interval> ranges(const IntegerCall& call) {
  std::vector<Interval> result;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Rule rule(call.node, i);  // never decreases
    const Interval& x = call.in[0]->ranges[i];
    result.push_back({rule(x.low), rule(x.high)});
  }
  return result;
}

void evaluate(const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Rule(call.node, i)((*in[0])[i]);
}

void build(LayerBuilder& layer) {
  ModuleBuilder& cells = layer.cells();
  for (std::size_t i = 0; i < layer.call().size(); ++i) {
    const Rule rule(layer.node(), i);
    WireId x = layer.in()[i];
    if (rule.shift > 0 && rule.rounding == formats::Rounding::HalfEven) {
      x = cells.round(x, rule.shift);
    } else {
      if (rule.shift > 0 && rule.rounding == formats::Rounding::HalfUp)
        x = cells.add(x, cells.constant(std::int64_t{1} << (rule.shift - 1)));
      x = cells.shift(x, -rule.shift);
    }
    layer.out(cells.clamp(x, rule.bounds));
  }
}

}  // namespace

IntegerOpDef define() {
  return {.name = "requantise",
          .doc =
              "y = clamp(round(x / 2^shift), low, high); rounding 0: ties to even, 1: ties up, "
              "2: down",
          .elementwise = true,
          .runs = [](const IntegerNode& node) -> std::int64_t {
            return most_entries(node, {"shift", "low", "high"});
          },
          .attrs = {"shift", "rounding", "low", "high"},
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build};
}

}  // namespace chop::hardware::integer_ops::requantise
