// q = ± 2^E · M, a float without an implicit leading one:
// E = clamp(⌈log2(|x| + ε)⌉, -bias, 2^e - 1 - bias), M = clamp(rne(|x| / 2^E · 2^m), 0, 2^m - 1) /
// 2^m.
#include "formats/defs/minifloat_denorm-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::minifloat_denorm {
namespace {

MinifloatParts parts(float x, const Minifloat& e) {
  const float a = std::fabs(x);
  const int exponent =
      std::min(clamp_exponent(std::ceil(log2_float(a + kEpsilon)), e.e_min, e.e_max), 127);
  const double scaled = std::ldexp(static_cast<double>(a), e.mantissa - exponent);
  return {exponent, clamp(static_cast<float>(std::nearbyint(scaled)), 0, e.high)};
}

float value(const MinifloatParts& p, const Minifloat& e) {
  return static_cast<float>(std::ldexp(static_cast<double>(p.mantissa), p.exponent - e.mantissa));
}

Range range(const Config& config) {
  const Minifloat e = minifloat_element(config);
  const double highest = std::ldexp(1.0 - std::ldexp(1.0, -e.mantissa), std::min(e.e_max, 127));
  return {.lowest = -highest,
          .highest = highest,
          .least_positive = std::ldexp(1.0, e.e_min - e.mantissa)};
}

}  // namespace

FormatDef define() {
  return minifloat_format<2>({
      .name = "minifloat_denorm",
      .suffix = "MinifloatDenorm",
      .doc =
          "q = ± 2^E · M with E = clamp(⌈log2(|x| + 1e-9)⌉, -bias, 2^e - 1 - bias) and "
          "M = clamp(rne(|x| / 2^E · 2^m), 0, 2^m - 1) / 2^m, where m = width - e - 1. No implicit "
          "one, no infinity; it saturates, and exact powers of two are not representable (1 "
          "becomes 0.875 for m = 3). |x| <= 1e-8 passes through.",
      .codec = minifloat_codec<minifloat_element, parts, value>,
      .fast = fast_loop(),
      .range = range,
      .samples = {"width=8 exponent_width=4 exponent_bias=7", "width=4 exponent_width=2",
                  "width=31 exponent_width=8", "width=9 exponent_width=3 exponent_bias=140",
                  "width=12 exponent_width=8 exponent_bias=-100"},
  });
}

}  // namespace chop::formats::minifloat_denorm
