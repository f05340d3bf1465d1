// Any other function of one number: a function that waits for the format behind it, whose codes are
// enumerated. Functions that only clamp are exact on codes where their bounds are codes.
#include "hardware/lowering/lowering_def.hpp"
#include "ops/core/registry.hpp"

namespace chop::hardware::lowerings::unary {
namespace {

constexpr double kFloatError = 0x1p-20;  ///< of vector code for exponentials and the like

/// The bounds of a function that is min(max(x, low), high) for all codes of a range, if it is one.
std::optional<Interval> clamp_bounds(const LoweringCall& call, const IntegerType& from) {
  const ops::Call op = call.call();
  const auto value = [&](std::int64_t code) {
    return op.op.unary.value(std::ldexp(static_cast<double>(code), -from.frac), op);
  };
  const Interval all = from.range();
  if (all.count() > (std::uint64_t{1} << 22U)) return {};
  const double low = std::ldexp(value(all.low), from.frac);
  const double high = std::ldexp(value(all.high), from.frac);
  if (low != std::floor(low) || high != std::floor(high) || low > high) return {};
  const Interval to{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
  for (std::int64_t x = all.low; x <= all.high; ++x)
    if (std::ldexp(value(x), from.frac) != static_cast<double>(std::clamp(x, to.low, to.high)))
      return {};
  return to;
}

Result<Traced> lower(LoweringCall& call) {
  Traced result = call.in(0);
  if (result.kind != Traced::Kind::Integer) {
    CH_TRY([[maybe_unused]] const std::size_t codes, call.codes(0));
  }
  const IntegerType& from = call.at(result.node).type;
  if (result.pending.empty())
    if (const std::optional<Interval> to = clamp_bounds(call, from))
      return call.add({.name = call.node().name,
                       .op = "clamp",
                       .inputs = {result.node},
                       .attrs = {{"low", {to->low}}, {"high", {to->high}}},
                       .type = {.shape = call.result_shape(), .frac = from.frac},
                       .comment = call.node().op});
  const auto attrs = std::make_shared<const Attrs>(call.node().attrs);
  const OpDef& op = op_of(call.node());
  result.pending.push_back({.what = cat(call.node().op, " ", call.node().name),
                            .apply = [attrs, &op](Approximate x, std::size_t /*channel*/) {
                              const ops::Call on{op, *attrs};
                              const double y = op.unary.value(x.value, on);
                              const double spread =
                                  std::max(std::fabs(op.unary.value(x.value + x.error, on) - y),
                                           std::fabs(op.unary.value(x.value - x.error, on) - y));
                              return Approximate{y, spread + kFloatError * std::fabs(y)};
                            }});
  return result;
}

}  // namespace

LoweringDef define() {
  return {.name = "unary",
          .takes =
              [](const Node& /*node*/, const OpDef& op) {
                return op.unary.value != nullptr && !has(op.traits, Trait::Rectifier);
              },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::unary
