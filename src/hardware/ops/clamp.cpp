// y = min(max(x, low), high): ReLU and its family.
#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware::integer_ops::clamp {
namespace {

Interval bounds(const IntegerNode& node, std::size_t i) {
  return {node.at("low", i), node.at("high", i)};
}

Status check(const IntegerCall& call) {
  if (call.in[0]->size() != call.size()) return Error{.what = "its input has another size"};
  for (std::size_t i = 0; i < call.size(); ++i)
    if (bounds(call.node, i).low > bounds(call.node, i).high)
      return Error{.what = "its lower bound is above the upper one"};
  return {};
}

std::vector<Interval> ranges(const IntegerCall& call) {
  std::vector<Interval> result;
  for (std::size_t i = 0; i < call.size(); ++i)
    result.push_back(clamped(call.in[0]->ranges[i], bounds(call.node, i)));
  return result;
}

void evaluate(const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Interval to = bounds(call.node, i);
    out[i] = std::clamp((*in[0])[i], to.low, to.high);
  }
}

void build(LayerBuilder& layer) {
  for (std::size_t i = 0; i < layer.call().size(); ++i)
    layer.out(layer.cells().clamp(layer.in()[i], bounds(layer.node(), i)));
}

}  // namespace

IntegerOpDef define() {
  return {.name = "clamp",
          .doc = "y = min(max(x, low), high)",
          .elementwise = true,
          .runs = [](const IntegerNode& node) -> std::int64_t {
            return most_entries(node, {"low", "high"});
          },
          .attrs = {"low", "high"},
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build};
}

}  // namespace chop::hardware::integer_ops::clamp
