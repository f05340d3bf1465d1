// max(x, 0): exact on codes.
#include "hardware/lowering/lowering_def.hpp"

namespace chop::hardware::lowerings::relu {
namespace {

Result<Traced> lower(LoweringCall& call) {
  Traced result = call.in(0);
  if (result.kind == Traced::Kind::Integer && !result.pending.empty()) {
    result.pending.push_back({.kind = PendingFunction::Kind::Rectifier,
                              .what = cat(call.node().op, " ", call.node().name),
                              .apply = [](Approximate x, std::size_t /*channel*/) {
                                return Approximate{std::max(x.value, 0.0), x.error};
                              }});
    return result;
  }
  CH_TRY(const std::size_t x, call.codes(0));
  const IntegerType& from = call.at(x).type;
  if (from.range().low >= 0) return result;
  return call.add(
      {.name = call.node().name,
       .op = "clamp",
       .inputs = {x},
       .attrs = {{"low", {0}}, {"high", {std::max<std::int64_t>(0, from.range().high)}}},
       .type = {.shape = call.result_shape(), .frac = from.frac},
       .comment = call.node().op});
}

}  // namespace

LoweringDef define() {
  return {.name = "relu",
          .takes = [](const Node& /*node*/,
                      const OpDef& op) { return has(op.traits, Trait::Rectifier); },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::relu
