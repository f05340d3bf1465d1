#include "hardware/lowering/operands.hpp"

#include "ops/core/common.hpp"

namespace chop::hardware {
namespace {

/// Numbers with more bits are left to the format behind: they would widen every adder.
constexpr int kMostNumberBits = 12;

/// One value for each run of equal neighbours, all runs being of one length.
std::vector<double> in_runs(const std::vector<double>& all) {
  for (std::size_t runs = 1; runs < all.size(); ++runs) {
    if (all.size() % runs != 0) continue;
    const std::size_t length = all.size() / runs;
    std::vector<double> kept;
    for (std::size_t i = 0; i < all.size(); i += length) kept.push_back(all[i]);
    std::size_t i = 0;
    while (i < all.size() && all[i] == kept[i / length]) ++i;
    if (i == all.size()) return kept;
  }
  return all;
}

/// The constant as the result's elements see it.
std::vector<double> broadcast(const LoweringCall& call, std::size_t operand) {
  const Tensor& constant = call.in(operand).constant;
  const ops::BroadcastIndex from(call.type(operand).shape, call.result_type().shape);
  std::vector<double> all;
  for (std::int64_t i = 0; i < numel(call.result_shape()); ++i)
    all.push_back(constant.at(static_cast<std::int64_t>(from(static_cast<std::size_t>(i)))));
  return in_runs(all);
}

ConstantCodes codes_of(std::span<const double> values, int frac) {
  ConstantCodes result{.codes = {}, .frac = frac};
  for (const double value : values) result.codes.push_back(code_of(value, frac));
  return result;
}

}  // namespace

Result<std::size_t> stretched(LoweringCall& call, std::size_t operand) {
  CH_TRY(const std::size_t x, call.codes(operand));
  const Shape shape = call.result_shape();
  if (LoweringCall::sample(call.type(operand).shape) == shape) return x;
  Codes index;
  const ops::BroadcastIndex from(call.type(operand).shape, call.result_type().shape);
  for (std::int64_t i = 0; i < numel(shape); ++i)
    index.push_back(static_cast<std::int64_t>(from(static_cast<std::size_t>(i))));
  CH_TRY(const Traced wide, call.add({.name = cat(call.node().name, "_", operand),
                                      .op = "select",
                                      .inputs = {x},
                                      .attrs = {{"index", std::move(index)}},
                                      .type = {.shape = shape, .frac = call.at(x).type.frac}}));
  return wide.node;
}

Result<std::optional<KnownOperand>> known_operand(const LoweringCall& call) {
  KnownOperand known;
  if (call.operands() == 1) {
    known.values = {call.call().real("other")};
    const double number = known.values[0];
    const int frac = std::max(0, frac_bits(number));
    if (std::fabs(number) < 0x1p30 && frac + std::ilogb(number == 0 ? 1 : number) < kMostNumberBits)
      known.codes = codes_of(known.values, frac);
    return std::optional(std::move(known));
  }
  const bool first = call.in(0).kind == Traced::Kind::Constant;
  const bool second = call.in(1).kind == Traced::Kind::Constant;
  if (!first && !second) return std::optional<KnownOperand>();
  if (first && second) return Error{.what = "both of its operands are constants"};
  const std::size_t operand = first ? 0 : 1;
  if (LoweringCall::sample(call.type(1 - operand).shape) != call.result_shape())
    return Error{.what = "its constant is larger than the other operand"};
  known.computed = 1 - operand;
  known.values = broadcast(call, operand);
  if (call.in(operand).format) {
    CH_TRY(const ConstantCodes codes, call.constant(operand));
    known.codes = codes_of(known.values, codes.frac);
  }
  return std::optional(std::move(known));
}

Result<Traced> lower_affine(LoweringCall& call, std::size_t x, ExactAffine exact) {
  return call.add({.name = call.node().name,
                   .op = "affine",
                   .inputs = {x},
                   .attrs = {{"factor", std::move(exact.factor)},
                             {"offset", std::move(exact.offset)},
                             {"shift", {0}},
                             {"low", {-kMost}},
                             {"high", {kMost}}},
                   .type = {.shape = call.result_shape(), .frac = exact.frac},
                   .comment = call.node().op});
}

}  // namespace chop::hardware
