// q = ± 2^E · M, a float with an implicit leading one and subnormals:
// E = clamp(⌊log2(|x| + ε)⌋, -bias, 2^e - 1 - bias), M = 1 + clamp(rne((|x| / 2^E - 1) · 2^m), 0,
// 2^m - 1) / 2^m.
#include "formats/defs/minifloat_ieee-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::minifloat_ieee {
MinifloatParts parts(float x, const Minifloat& e) {
  const double a = std::fabs(x);
  const float wanted = std::floor(log2_float(std::fabs(x) + kEpsilon));
  const int exponent = std::min(clamp_exponent(wanted, e.e_min, e.e_max), 127);
  const double scaled = exponent == e.e_min ? std::ldexp(a, e.mantissa - 1 - exponent)
                                            : std::ldexp(std::ldexp(a, -exponent) - 1, e.mantissa);
  return {exponent, clamp(static_cast<float>(std::nearbyint(scaled)), 0, e.high)};
}

float value(const MinifloatParts& p, const Minifloat& e) {
  const double m = p.mantissa;
  return static_cast<float>(
      p.exponent == e.e_min ? std::ldexp(m, p.exponent + 1 - e.mantissa)
                            : std::ldexp(std::ldexp(1.0, e.mantissa) + m, p.exponent - e.mantissa));
}

namespace {

Range range(const Config& config) {
  const Minifloat e = minifloat_element(config);
  const double highest = std::ldexp(2.0 - std::ldexp(1.0, -e.mantissa), std::min(e.e_max, 127));
  return {.lowest = -highest,
          .highest = highest,
          .least_positive = std::ldexp(1.0, e.e_min + 1 - e.mantissa)};
}

}  // namespace

FormatDef define() {
  return minifloat_format<1>({
      .name = "minifloat_ieee",
      .suffix = "MinifloatIEEE",
      .doc = "q = ± 2^E · M with E = clamp(⌊log2(|x| + 1e-9)⌋, -bias, 2^e - 1 - bias) and M = 1 + "
             "clamp(rne((|x| / 2^E - 1) · 2^m), 0, 2^m - 1) / 2^m, where m = width - e - 1; at E "
             "= -bias subnormal, in steps of 2^(1 - bias - m). The top exponent is a number, not "
             "infinity. Rounding never carries into the exponent (1.97 becomes 1.875 for m = 3). "
             "|x| <= 1e-8 passes through.",
      .codec = minifloat_codec<minifloat_element, parts, value>,
      .fast = fast_loop(),
      .range = range,
      .idempotent = true,
      .samples = {"width=8 exponent_width=4 exponent_bias=7", "width=6 exponent_width=3",
                  "width=31 exponent_width=8", "width=5 exponent_width=3 exponent_bias=149",
                  "width=12 exponent_width=8 exponent_bias=-126"},
  });
}

}  // namespace chop::formats::minifloat_ieee
