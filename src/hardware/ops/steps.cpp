// y = values[number of thresholds that x reaches]: a staircase, as formats of few numbers make of a
// wide sum, and thermometer codes.
#include "hardware/netlist/element_op.hpp"

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
  Interval range(const Interval& x) const {
    Interval y{(*this)(x.low), (*this)(x.low)};
    for (const std::int64_t threshold : thresholds)
      if (threshold > x.low && threshold <= x.high)
        y = hull(y, {(*this)(threshold), (*this)(threshold)});
    return y;
  }
  WireId build(LayerBuilder& layer, WireId x) const {
    return between(layer.cells(), x, 0, thresholds.size());
  }

  /// The value for an x that has reached `low` thresholds at least, and `high` at most: the middle
  /// one decides between two halves.
  WireId between(ModuleBuilder& cells, WireId x, std::size_t low, std::size_t high) const {
    if (low == high) return cells.constant(values[low]);
    const std::size_t middle = low + (high - low) / 2;
    const WireId below = cells.less(x, cells.constant(thresholds[middle]));
    return cells.mux(below, between(cells, x, low, middle), between(cells, x, middle + 1, high));
  }
};

Status check(const IntegerCall& call) {
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

}  // namespace

IntegerOpDef define() {
  return element_op<Stairs>(
      {.name = "steps",
       .doc = "y = values[number of thresholds that x reaches]",
       .runs = [](const IntegerNode& node) -> std::int64_t { return node.list("channels")[0]; },
       .attrs = {"channels", "thresholds", "values"},
       .check = check});
}

}  // namespace chop::hardware::integer_ops::steps
