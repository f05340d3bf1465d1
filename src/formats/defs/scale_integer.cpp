// q = clamp(rne(x · s), low, high) / s, with s = 2^(w-1) / (max|x| + 1e-9) of each group.
#include "formats/defs/scale_integer-simd.hpp"
#include "formats/groups.hpp"

namespace chop::formats::scale_integer {
namespace {

Scaled element(const Config& config) {
  const CodeBounds codes = code_bounds(config.integer("width"), config.flag("is_signed"));
  return {.low = codes.low,
          .high = codes.high,
          .top = pow2(config.integer("width") - (config.flag("is_signed") ? 1 : 0))};
}

void restore(Scaled& e, float shared) {
  e.shared = e.scale = shared;
}

void share(Scaled& e, const GroupFacts& facts) {
  restore(e, e.top / (facts.abs_max + kEpsilon));
}

float quantise(float x, const Scaled& e) {
  return clamp(std::nearbyint(x * e.scale), e.low, e.high) / e.scale;
}

std::int64_t encode(float x, const Scaled& e) {
  return static_cast<std::int64_t>(clamp(std::nearbyint(x * e.scale), e.low, e.high));
}

float decode(std::int64_t code, const Scaled& e) {
  return static_cast<float>(code) / e.scale;
}

Range range(const Config& config) {
  const Scaled e = element(config);
  return code_range(e.low, e.high);
}

}  // namespace

FormatDef define() {
  return granular_format(
      "row",
      {
          .name = "scale_integer",
          .suffix = "ScaleInteger",
          .doc = "q = clamp(rne(x · s), low, high) / s, where s = 2^(width-1) / (max|x| + 1e-9) "
                 "(2^width / ... unsigned) of each row, channel or tensor. Whole numbers with a "
                 "float32 scale that follows the data.",
          .keys = {width_key(1, 24), signed_key()},
          .precision = {"width"},
          .codec = codec_of<element, quantise, encode, decode>,
          .measure = Measure::AbsMax,
          .share = own<share>,
          .restore = own<restore>,
          .fast = fast_loop(),
          .range = range,
          .samples = {"width=8", "width=4 is_signed=false", "width=6 granularity=channel",
                      "width=24 granularity=tensor"},
      });
}

}  // namespace chop::formats::scale_integer
