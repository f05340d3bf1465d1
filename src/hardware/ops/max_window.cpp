// y[p] = the greatest of x[window[p, k]]: max pooling. -1 is padding, which is never the greatest.
#include "hardware/netlist/layer_builder.hpp"
#include "hardware/proof/bit_words.hpp"

namespace chop::hardware::integer_ops::max_window {
namespace {

/// The elements of window p.
std::vector<std::size_t> members(const IntegerNode& node, std::size_t p) {
  const Codes& window = node.list("window");
  const std::size_t length = window.size() / node.type.size();
  std::vector<std::size_t> inside;
  for (std::size_t k = 0; k < length; ++k)
    if (window[p * length + k] >= 0)
      inside.push_back(static_cast<std::size_t>(window[p * length + k]));
  return inside;
}

Status check(const IntegerCall& call) {
  if (call.node.list("window").size() % std::max<std::size_t>(1, call.size()) != 0)
    return Error{.what = "its windows do not have the same length"};
  for (std::size_t p = 0; p < call.size(); ++p) {
    const std::vector<std::size_t> inside = members(call.node, p);
    if (inside.empty()) return Error{.what = cat("window ", p, " is empty")};
    for (const std::size_t at : inside)
      if (at >= call.in[0]->size()) return Error{.what = cat("no element ", at)};
  }
  return {};
}

std::vector<Interval> ranges(const IntegerCall& call) {
  std::vector<Interval> result;
  for (std::size_t p = 0; p < call.size(); ++p) {
    const std::vector<std::size_t> inside = members(call.node, p);
    Interval most = call.in[0]->ranges[inside[0]];
    for (const std::size_t at : inside) {
      const Interval& x = call.in[0]->ranges[at];
      most = {std::max(most.low, x.low), std::max(most.high, x.high)};
    }
    result.push_back(most);
  }
  return result;
}

void evaluate(const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
  for (std::size_t p = 0; p < out.size(); ++p) {
    out[p] = std::numeric_limits<std::int64_t>::min();
    for (const std::size_t at : members(call.node, p)) out[p] = std::max(out[p], (*in[0])[at]);
  }
}

void build(LayerBuilder& layer) {
  for (std::size_t p = 0; p < layer.call().size(); ++p) {
    std::vector<WireId> wires;
    for (const std::size_t at : members(layer.node(), p)) wires.push_back(layer.in()[at]);
    layer.out(
        joined(std::move(wires), [&](WireId a, WireId b) { return layer.cells().max(a, b); }));
  }
}

/// No member of a window is greater than its result, and one is equal.
std::vector<Literal> holds(const IntegerCall& call, AigBuilder& builder,
                           std::span<const BitWord> in, std::span<const BitWord> out) {
  std::vector<Literal> all;
  for (std::size_t p = 0; p < call.size(); ++p) {
    Literal none_greater = kTrue;
    Literal one_equal = kFalse;
    for (const std::size_t at : members(call.node, p)) {
      none_greater = builder.both(none_greater, less_than(builder, out[p], in[at]) ^ 1U);
      one_equal = builder.either(one_equal, equal_to(builder, out[p], in[at]));
    }
    all.push_back(builder.both(none_greater, one_equal));
  }
  return all;
}

}  // namespace

IntegerOpDef define() {
  return {.name = "max_window",
          .doc = "y[p] = the greatest of x[window[p, k]]",
          .attrs = {"window"},
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build,
          .holds = holds};
}

}  // namespace chop::hardware::integer_ops::max_window
