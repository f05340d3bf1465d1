// y = values[number of thresholds that x reaches]: a staircase, as formats of few numbers make of a
// wide sum, and thermometer codes.
#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware::integer_ops::steps {
namespace {

/// Thresholds rise; there is one value more. One staircase for all elements, or one per channel.
struct Stairs {
  std::span<const std::int64_t> thresholds;
  std::span<const std::int64_t> values;

  Stairs(const IntegerNode& node, std::size_t i) {
    const auto channels = static_cast<std::size_t>(node.list("channels")[0]);
    const std::size_t channel = i * channels / node.type.size();
    const std::size_t count = node.list("thresholds").size() / channels;
    thresholds = std::span(node.list("thresholds")).subspan(channel * count, count);
    values = std::span(node.list("values")).subspan(channel * (count + 1), count + 1);
  }
  std::int64_t operator()(std::int64_t x) const {
    const auto reached = std::upper_bound(thresholds.begin(), thresholds.end(), x);
    return values[static_cast<std::size_t>(reached - thresholds.begin())];
  }
};

Status check(const IntegerCall& call) {
  if (call.in[0]->size() != call.size()) return Error{.what = "its input has another size"};
  const Codes& channels = call.node.list("channels");
  const auto count = static_cast<std::size_t>(channels.empty() ? 0 : channels[0]);
  if (count == 0 || call.node.list("thresholds").size() % count != 0 ||
      call.node.list("values").size() != call.node.list("thresholds").size() + count)
    return Error{.what = "thresholds and values do not fit each other"};
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Stairs stairs(call.node, i);
    if (!std::is_sorted(stairs.thresholds.begin(), stairs.thresholds.end()))
      return Error{.what = "its thresholds do not rise"};
  }
  return {};
}

std::vector<Interval> ranges(const IntegerCall& call) {
  std::vector<Interval> result;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Stairs stairs(call.node, i);
    const Interval& x = call.in[0]->ranges[i];
    Interval y{stairs(x.low), stairs(x.low)};
    for (std::size_t t = 0; t < stairs.thresholds.size(); ++t)
      if (stairs.thresholds[t] > x.low && stairs.thresholds[t] <= x.high)
        y = hull(y, {stairs(stairs.thresholds[t]), stairs(stairs.thresholds[t])});
    result.push_back(y);
  }
  return result;
}

void evaluate(const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Stairs(call.node, i)((*in[0])[i]);
}

/// The value for an x that has reached `low` thresholds at least, and `high` at most: the middle
/// one decides between two halves.
WireId between(ModuleBuilder& cells, const Stairs& stairs, WireId x, std::size_t low,
               std::size_t high) {
  if (low == high) return cells.constant(stairs.values[low]);
  const std::size_t middle = low + (high - low) / 2;
  const WireId below = cells.less(x, cells.constant(stairs.thresholds[middle]));
  return cells.mux(below, between(cells, stairs, x, low, middle),
                   between(cells, stairs, x, middle + 1, high));
}

void build(LayerBuilder& layer) {
  ModuleBuilder& cells = layer.cells();
  for (std::size_t i = 0; i < layer.call().size(); ++i) {
    const Stairs stairs(layer.node(), i);
    const WireId x = layer.in()[i];
    layer.out(between(cells, stairs, x, 0, stairs.thresholds.size()));
  }
}

}  // namespace

IntegerOpDef define() {
  return {.name = "steps",
          .doc = "y = values[number of thresholds that x reaches]",
          .elementwise = true,
          .runs = [](const IntegerNode& node) -> std::int64_t { return node.list("channels")[0]; },
          .attrs = {"channels", "thresholds", "values"},
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build};
}

}  // namespace chop::hardware::integer_ops::steps
