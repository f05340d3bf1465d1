// q = s · clamp(floor(x / s + 1/2), low, high), with a step s that training learns.
#include <algorithm>
#include <limits>

#include "formats/groups.hpp"

namespace chop::formats::lsq_integer {
namespace {

Element element(const Config& config) {
  Element e{.kind = Kind::Step};
  set_code_bounds(e, config.integer("width"), config.flag("is_signed"));
  return e;
}

/// A step must stay above zero, whatever training makes of it, and its multiples finite.
void restore(Element& e, float shared) {
  const float most = std::numeric_limits<float>::max() / std::fmax(-e.low, e.high);
  e.shared = e.scale = std::fmin(std::fmax(shared, kEpsilon), most);
}

float quantise(float x, const Element& e, std::uint64_t /*index*/) {
  return clamp(std::floor(x / e.scale + 0.5F), e.low, e.high) * e.scale;
}

std::int64_t encode(float x, const Element& e, std::uint64_t /*index*/) {
  return static_cast<std::int64_t>(clamp(std::floor(x / e.scale + 0.5F), e.low, e.high));
}

float decode(std::int64_t code, const Element& e) {
  return static_cast<float>(code) * e.scale;
}

float initial(const Element& e, double abs_mean) {
  return abs_mean > 0 ? static_cast<float>(2 * abs_mean / std::sqrt(static_cast<double>(e.high)))
                      : 1.0F;
}

Range range(const Config& config) {
  return code_range(element(config));
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
          .element = element,
          .restore = restore,
          .quantise = quantise,
          .encode = encode,
          .decode = decode,
          .range = range,
          .gradient = GradientRule::Learned,
          .learned = "step",
          .initial = initial,
          .calibration = {"step", step_candidates},
      });
}

}  // namespace chop::formats::lsq_integer
