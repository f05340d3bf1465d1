// A normalisation with running statistics multiplies and adds per channel: a function that waits
// for the format behind it, so that it is rounded once.
#include "hardware/lowering/matrix.hpp"
#include "ops/core/registry.hpp"

namespace chop::hardware::lowerings::batch_norm {
namespace {

/// Entry c of a parameter of the call.
double entry(const LoweringCall& call, std::string_view name, std::int64_t c, double otherwise) {
  const std::int64_t at = call.find(name);
  return at < 0 ? otherwise : call.in(static_cast<std::size_t>(at)).constant.at(c);
}

Result<Traced> lower(LoweringCall& call) {
  if (call.in(0).kind != Traced::Kind::Integer) {
    CH_TRY([[maybe_unused]] const std::size_t codes, call.codes(0));
  }
  if (call.find("running_mean") < 0)
    return Error{.what = "it has no running statistics: it normalises with those of the batch"};
  std::vector<double> scale;
  std::vector<double> shift;
  std::vector<double> magnitude;
  for (std::int64_t c = 0; c < call.type(0).shape[1]; ++c) {
    const double invstd =
        1.0 / std::sqrt(entry(call, "running_var", c, 1) + call.call().real("eps"));
    const double bias = entry(call, "bias", c, 0);
    scale.push_back(invstd * entry(call, "weight", c, 1));
    const double moved = entry(call, "running_mean", c, 0) * scale.back();
    shift.push_back(bias - moved);
    magnitude.push_back(std::fabs(bias) + std::fabs(moved));
  }
  Traced result = call.in(0);
  result.pending.push_back(
      pending_affine(cat(call.node().op, " ", call.node().name), scale, shift, magnitude));
  return result;
}

}  // namespace

LoweringDef define() {
  return {.name = "batch_norm",
          .takes = [](const Node& /*node*/,
                      const OpDef& op) { return has(op.traits, Trait::ChannelAffine); },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::batch_norm
