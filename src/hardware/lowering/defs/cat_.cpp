// Results side by side along a dimension, their binary points aligned.
#include "hardware/lowering/lowering_def.hpp"
#include "ops/core/common.hpp"

namespace chop::hardware::lowerings::cat_ {
namespace {

/// The operand with `frac` bits after the point.
Result<std::size_t> aligned(LoweringCall& call, std::size_t operand, int frac) {
  CH_TRY(const std::size_t x, call.codes(operand));
  const IntegerType from = call.at(x).type;
  if (from.frac == frac) return x;
  CH_TRY(const Traced moved, call.add({.name = cat(call.node().name, "_", operand),
                                       .op = "requantise",
                                       .inputs = {x},
                                       .attrs = {{"shift", {from.frac - frac}},
                                                 {"rounding", {0}},
                                                 {"low", {-kMost}},
                                                 {"high", {kMost}}},
                                       .type = {.shape = from.shape, .frac = frac}}));
  return moved.node;
}

Result<Traced> lower(LoweringCall& call) {
  int frac = std::numeric_limits<int>::min();
  for (std::size_t i = 0; i < call.operands(); ++i) {
    CH_TRY(const std::size_t x, call.codes(i));
    frac = std::max(frac, call.at(x).type.frac);
  }
  CH_TRY(const std::int64_t dim,
         ops::normal_axis(call.call().integer("dim"), call.type(0).shape.size()));
  const auto axis = static_cast<std::size_t>(dim);
  IntegerNode node{.name = call.node().name,
                   .op = "select",
                   .type = {.shape = call.result_shape(), .frac = frac}};
  std::vector<std::int64_t> firsts;
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < call.operands(); ++i) {
    CH_TRY(const std::size_t x, aligned(call, i, frac));
    node.inputs.push_back(x);
    firsts.push_back(elements);
    elements += std::ssize(call.at(x).type.ranges);
  }
  // Outer index, then operand, then what one operand has behind the axis.
  const std::int64_t outer = ops::product(call.type(0).shape, 0, axis);
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < call.operands(); ++i) {
      const std::int64_t run = ops::product(call.type(i).shape, axis);
      for (std::int64_t k = 0; k < run; ++k) node.attrs["index"].push_back(firsts[i] + o * run + k);
    }
  return call.add(std::move(node));
}

}  // namespace

LoweringDef define() {
  return {.name = "cat",
          .takes = [](const Node& node, const OpDef& /*op*/) { return node.op == "cat"; },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::cat_
