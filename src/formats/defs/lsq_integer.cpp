// q = s · clamp(floor(x / s + 1/2), low, high), with a step s that training learns.
#include "formats/defs/lsq_integer-simd.hpp"
#include "formats/groups.hpp"

namespace chop::formats::lsq_integer {
namespace {

Step element(const Config& config) {
  const CodeBounds codes = code_bounds(config.integer("width"), config.flag("is_signed"));
  return {.low = codes.low, .high = codes.high};
}

/// A step must stay above zero, whatever training makes of it, and its multiples finite.
void restore(Step& e, float shared) {
  const float most = std::numeric_limits<float>::max() / std::fmax(-e.low, e.high);
  e.shared = e.scale = std::fmin(std::fmax(shared, kEpsilon), most);
}

float quantise(float x, const Step& e) {
  return clamp(std::floor(x / e.scale + 0.5F), e.low, e.high) * e.scale;
}

std::int64_t encode(float x, const Step& e) {
  return static_cast<std::int64_t>(clamp(std::floor(x / e.scale + 0.5F), e.low, e.high));
}

float decode(std::int64_t code, const Step& e) {
  return static_cast<float>(code) * e.scale;
}

float initial(const Step& e, double abs_mean) {
  return abs_mean > 0 ? static_cast<float>(2 * abs_mean / std::sqrt(static_cast<double>(e.high)))
                      : 1.0F;
}

Grid grid(const Step& e) {
  return {.step = e.scale, .low = e.low, .high = e.high, .rounding = Rounding::HalfUp};
}

std::optional<OnnxForm> onnx(const Config& config) {
  std::optional<OnnxForm> form = granular_onnx(config, "step");
  if (form) form->rounding = Rounding::HalfUp;
  return form;
}

Range range(const Config& config) {
  const Step e = element(config);
  return code_range(e.low, e.high);
}

/// Steps that clip nothing, down to clipping at 1/16 of the largest value.
std::vector<Attr> step_candidates(const Config& config, double abs_max) {
  const double widest = std::max(abs_max, 1e-6) / element(config).high;
  std::vector<Attr> candidates;
  for (const double part : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.125, 0.0625})
    candidates.emplace_back(std::vector<double>{widest * part});
  return candidates;
}

}  // namespace

FormatDef define() {
  return granular_format(
      "tensor",
      {
          .name = "lsq_integer",
          .suffix = "LSQInteger",
          .doc =
              "q = s · clamp(floor(x / s + 1/2), low, high) with [low, high] as for `integer`. The "
              "step s is learned: it starts at 2 mean|x| / √high, and its gradient is scaled by "
              "1 / √(high · n) for n values. A step below 1e-9 counts as 1e-9.",
          .aliases = {"lsqinteger"},
          .keys = {width_key(2, 24),
                   signed_key(),
                   {.name = "step",
                    .doc = "the step, or one per group; absent: from the data, 2 mean|x| / √high",
                    .kind = FieldKind::Reals,
                    .bounds = {.least = 0}}},
          .precision = {"width"},
          .codec = codec_of<element, quantise, encode, decode>,
          .restore = own<restore>,
          .fast = fast_loop(),
          .grid = own<grid>,
          .onnx = onnx,
          .range = range,
          .gradient = GradientRule::Learned,
          .learned = "step",
          .initial = own<initial>,
          .calibration = {"step", step_candidates},
          .samples = {"width=4", "width=8 step=0.1", "width=3 granularity=channel"},
      });
}

}  // namespace chop::formats::lsq_integer
