// y = clamp(floor((factor · x + offset) / 2^shift), low, high) per channel: a normalisation and the
// format behind it. The offset holds the half that rounds.
#include "hardware/netlist/layer_builder.hpp"

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
};

Status check(const IntegerCall& call) {
  if (call.in[0]->size() != call.size()) return Error{.what = "its input has another size"};
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

std::vector<Interval> ranges(const IntegerCall& call) {
  std::vector<Interval> result;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Rule rule(call.node, i);
    const std::int64_t a = rule(call.in[0]->ranges[i].low);
    const std::int64_t b = rule(call.in[0]->ranges[i].high);
    result.push_back({std::min(a, b), std::max(a, b)});
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
    const LinearMap map{.rows = 1, .columns = 1, .weight = {rule.factor}, .bias = {rule.offset}};
    const WireId sum = build_linear(cells, map, layer.in().subspan(i, 1), layer.adders())[0];
    layer.out(cells.clamp(cells.shift(sum, -rule.shift), rule.bounds));
  }
}

}  // namespace

IntegerOpDef define() {
  return {.name = "affine",
          .doc = "y = clamp(floor((factor · x + offset) / 2^shift), low, high), per channel",
          .elementwise = true,
          .runs = [](const IntegerNode& node) -> std::int64_t {
            return most_entries(node, {"factor", "offset", "shift", "low", "high"});
          },
          .attrs = {"factor", "offset", "shift", "low", "high"},
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build};
}

}  // namespace chop::hardware::integer_ops::affine
