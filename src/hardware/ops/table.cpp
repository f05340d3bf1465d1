// y = entry x - first of a table, one table for all elements or one per channel: any function of a
// code, because the codes were enumerated.
#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware::integer_ops::table {
namespace {

/// The table of an element.
std::span<const std::int64_t> entries(const IntegerNode& node, std::size_t i) {
  const Codes& all = node.list("values");
  const std::size_t tables = node.list("first").size();
  const std::size_t length = all.size() / tables;
  return std::span(all).subspan(i * tables / node.type.size() * length, length);
}

Status check(const IntegerCall& call) {
  if (call.in[0]->size() != call.size()) return Error{.what = "its input has another size"};
  if (call.node.list("first").empty() ||
      call.node.list("values").size() % call.node.list("first").size() != 0)
    return Error{.what = "its tables do not have the same length"};
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Interval& x = call.in[0]->ranges[i];
    const std::int64_t first = call.node.at("first", i);
    if (x.low < first || x.high - first >= std::ssize(entries(call.node, i)))
      return Error{.what = cat("element ", i, " can be ", to_text(x), ", beyond its table")};
  }
  return {};
}

std::vector<Interval> ranges(const IntegerCall& call) {
  std::vector<Interval> result;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Interval& x = call.in[0]->ranges[i];
    const auto first = call.node.at("first", i);
    const auto used =
        entries(call.node, i).subspan(static_cast<std::size_t>(x.low - first), x.count());
    const auto [least, most] = std::minmax_element(used.begin(), used.end());
    result.push_back({*least, *most});
  }
  return result;
}

void evaluate(const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] =
        entries(call.node, i)[static_cast<std::size_t>((*in[0])[i] - call.node.at("first", i))];
}

void build(LayerBuilder& layer) {
  for (std::size_t i = 0; i < layer.call().size(); ++i) {
    const std::span<const std::int64_t> values = entries(layer.node(), i);
    layer.out(layer.cells().table(layer.in()[i], {.first = layer.node().at("first", i),
                                                  .entries = {values.begin(), values.end()}}));
  }
}

}  // namespace

IntegerOpDef define() {
  return {
      .name = "table",
      .doc = "y = values[x - first]",
      .elementwise = true,
      .runs = [](const IntegerNode& node) -> std::int64_t { return most_entries(node, {"first"}); },
      .attrs = {"first", "values"},
      .check = check,
      .ranges = ranges,
      .evaluate = evaluate,
      .build = build};
}

}  // namespace chop::hardware::integer_ops::table
