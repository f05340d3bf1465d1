// y[i] = element index[i] of the inputs, one after the other: views, concatenations,
// transpositions.
#include "hardware/integer/op_def.hpp"

namespace chop::hardware::integer_ops::select {
namespace {

constexpr std::size_t kMostInputs = 1'000'000;

std::vector<Wired> wires(const IntegerCall& call) {
  std::vector<Wired> all;
  for (std::size_t input = 0; input < call.in.size(); ++input)
    for (std::size_t i = 0; i < call.in[input]->size(); ++i) all.push_back({input, i});
  std::vector<Wired> chosen;
  for (const std::int64_t index : call.node.list("index"))
    chosen.push_back(all[static_cast<std::size_t>(index)]);
  return chosen;
}

Status check(const IntegerCall& call) {
  std::int64_t elements = 0;
  for (const IntegerType* in : call.in) elements += std::ssize(in->ranges);
  if (call.node.list("index").size() != call.size()) return Error{.what = "one index per element"};
  for (const std::int64_t index : call.node.list("index"))
    if (index < 0 || index >= elements) return Error{.what = cat("no element ", index)};
  return {};
}

std::vector<Interval> ranges(const IntegerCall& call) {
  std::vector<Interval> result;
  for (const Wired& wired : wires(call))
    result.push_back(call.in[wired.input]->ranges[wired.element]);
  return result;
}

void evaluate(const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
  const std::vector<Wired> chosen = wires(call);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (*in[chosen[i].input])[chosen[i].element];
}

}  // namespace

IntegerOpDef define() {
  return {.name = "select",
          .doc = "y[i] = element index[i] of the inputs, joined",
          .most_inputs = kMostInputs,
          .attrs = {"index"},
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .wires = wires};
}

}  // namespace chop::hardware::integer_ops::select
