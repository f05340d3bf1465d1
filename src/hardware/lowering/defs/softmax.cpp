// Quotients of exponentials are real numbers: they wait for the format behind them.
#include "hardware/lowering/lowering_def.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::hardware::lowerings::softmax {
namespace {

Result<Traced> lower(LoweringCall& call) {
  CH_TRY([[maybe_unused]] const std::size_t codes, call.codes(0));
  const Shape& shape = call.type(0).shape;
  CH_TRY(const std::size_t axis, ops::axis_of(call.call().integer("dim"), shape.size()));
  const ops::Lanes lanes = ops::lanes_of(shape, axis);
  Traced result = call.in(0);
  result.pending.push_back(
      {.kind = PendingFunction::Kind::Softmax,
       .what = cat("softmax ", call.node().name),
       .lanes = {static_cast<std::int64_t>(lanes.size), static_cast<std::int64_t>(lanes.inner)}});
  return result;
}

}  // namespace

LoweringDef define() {
  return {.name = "softmax",
          .takes = [](const Node& node, const OpDef& /*op*/) { return node.op == "softmax"; },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::softmax
