// q = ± 2^E · M, a float with an implicit leading one and subnormals:
// E = clamp(⌊log2(|x| + ε)⌋, -bias, 2^e - 1 - bias), M = 1 + clamp(rne((|x| / 2^E - 1) · 2^m), 0,
// 2^m - 1) / 2^m.
#include "formats/defs/minifloat_ieee-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::minifloat_ieee {
namespace {

struct Parts {
  int exponent;    ///< e_min: subnormal
  float mantissa;  ///< a whole number, the implicit one left out
};

Parts parts(float x, const Minifloat& e) {
  const double a = std::fabs(x);
  const float wanted = std::floor(log2_float(std::fabs(x) + kEpsilon));
  const int exponent = std::min(clamp_exponent(wanted, e.e_min, e.e_max), 127);
  const double scaled = exponent == e.e_min ? std::ldexp(a, e.mantissa - 1 - exponent)
                                            : std::ldexp(std::ldexp(a, -exponent) - 1, e.mantissa);
  return {exponent, clamp(static_cast<float>(std::nearbyint(scaled)), 0, e.high)};
}

float value(const Parts& p, const Minifloat& e) {
  const double m = p.mantissa;
  return static_cast<float>(
      p.exponent == e.e_min ? std::ldexp(m, p.exponent + 1 - e.mantissa)
                            : std::ldexp(std::ldexp(1.0, e.mantissa) + m, p.exponent - e.mantissa));
}

Range range(const Config& config) {
  const Minifloat e = minifloat_element(config);
  const double highest = std::ldexp(2.0 - std::ldexp(1.0, -e.mantissa), std::min(e.e_max, 127));
  return {.lowest = -highest,
          .highest = highest,
          .least_positive = std::ldexp(1.0, e.e_min + 1 - e.mantissa)};
}

}  // namespace

float quantise(float x, const Minifloat& e) {
  if (std::isnan(x)) return x;
  if (is_near_zero(x)) return pass_through(x);
  return std::copysign(value(parts(x, e), e), x);
}

std::int64_t encode(float x, const Minifloat& e) {
  if (is_near_zero(x)) return 0;
  const Parts p = parts(x, e);
  return with_sign(
      x, (std::int64_t{p.exponent - e.e_min} << e.mantissa) | static_cast<std::int64_t>(p.mantissa),
      e.exponent_bits() + e.mantissa);
}

float decode(std::int64_t code, const Minifloat& e) {
  const int bits = e.exponent_bits();
  const std::int64_t field = code >> e.mantissa & ((std::int64_t{1} << bits) - 1);
  const std::int64_t mantissa = code & ((std::int64_t{1} << e.mantissa) - 1);
  return signed_as(code, bits + e.mantissa,
                   value({static_cast<int>(field) + e.e_min, static_cast<float>(mantissa)}, e));
}

FormatDef define() {
  return {.name = "minifloat_ieee",
          .suffix = "MinifloatIEEE",
          .doc =
              "q = ± 2^E · M with E = clamp(⌊log2(|x| + 1e-9)⌋, -bias, 2^e - 1 - bias) and M = 1 + "
              "clamp(rne((|x| / 2^E - 1) · 2^m), 0, 2^m - 1) / 2^m, where m = width - e - 1; at E "
              "= -bias subnormal, in steps of 2^(1 - bias - m). The top exponent is a number, not "
              "infinity. Rounding never carries into the exponent (1.97 becomes 1.875 for m = 3). "
              "|x| <= 1e-8 passes through.",
          .keys = {width_key(3, 31), exponent_width_key(8), exponent_bias_key()},
          .derived = {"exponent_bias"},
          .precision = {"width", "exponent_width", "exponent_bias"},
          .complete = complete_minifloat,
          .element = own<minifloat_element>,
          .quantise = own<quantise>,
          .encode = own<encode>,
          .decode = own<decode>,
          .fast = fast_loop(),
          .fast_suits = own<stays_normal>,
          .bits = [](const Config& c) { return Bits{.value = c.integer("width")}; },
          .range = range,
          .calibration = {"exponent_bias",
                          [](const Config& c, double abs_max) {
                            return bias_candidates((1 << c.integer("exponent_width")) - 1, abs_max);
                          }},
          .passes_tiny = true,
          .idempotent = true,
          .samples = {"width=8 exponent_width=4 exponent_bias=7", "width=6 exponent_width=3",
                      "width=31 exponent_width=8", "width=5 exponent_width=3 exponent_bias=149",
                      "width=12 exponent_width=8 exponent_bias=-126"}};
}

}  // namespace chop::formats::minifloat_ieee
