// y = entry x - first of a table, one table for all elements or one per channel: any function of a
// code, because the codes were enumerated.
#include "hardware/netlist/element_op.hpp"

namespace chop::hardware::integer_ops::table {
namespace {

/// The table of an element.
struct Rule {
  std::int64_t first;
  std::span<const std::int64_t> entries;

  Rule(const IntegerNode& node, std::size_t i) : first(node.at("first", i)) {
    const std::size_t tables = node.list("first").size();
    const std::size_t length = node.list("values").size() / tables;
    entries =
        std::span(node.list("values")).subspan(i * tables / node.type.size() * length, length);
  }
  std::int64_t operator()(std::int64_t x) const {
    return entries[static_cast<std::size_t>(x - first)];
  }
  Interval range(const Interval& x) const {
    const auto used = entries.subspan(static_cast<std::size_t>(x.low - first), x.count());
    const auto [least, most] = std::minmax_element(used.begin(), used.end());
    return {*least, *most};
  }
  WireId build(LayerBuilder& layer, WireId x) const {
    return layer.cells().table(x, {.first = first, .entries = {entries.begin(), entries.end()}});
  }
};

Status check(const IntegerCall& call) {
  if (call.node.list("first").empty() ||
      call.node.list("values").size() % call.node.list("first").size() != 0)
    return Error{.what = "its tables do not have the same length"};
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Interval& x = call.in[0]->ranges[i];
    const Rule rule(call.node, i);
    if (x.low < rule.first || x.high - rule.first >= std::ssize(rule.entries))
      return Error{.what = cat("element ", i, " can be ", to_text(x), ", beyond its table")};
  }
  return {};
}

}  // namespace

IntegerOpDef define() {
  return element_op<Rule>(
      {.name = "table",
       .doc = "y = values[x - first]",
       .runs = [](const IntegerNode& node) { return std::ssize(node.list("first")); },
       .attrs = {"first", "values"},
       .check = check});
}

}  // namespace chop::hardware::integer_ops::table
