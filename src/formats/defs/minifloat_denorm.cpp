// q = ± 2^E · M, a float without an implicit leading one:
// E = clamp(⌈log2(|x| + ε)⌉, -bias, 2^e - 1 - bias), M = clamp(rne(|x| / 2^E · 2^m), 0, 2^m - 1) /
// 2^m.
#include "formats/defs/minifloat_denorm-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::minifloat_denorm {
namespace {

struct Parts {
  int exponent;
  float mantissa;  ///< a whole number
};

Parts parts(float x, const Minifloat& e) {
  const float a = std::fabs(x);
  const int exponent =
      std::min(clamp_exponent(std::ceil(log2_float(a + kEpsilon)), e.e_min, e.e_max), 127);
  const double scaled = std::ldexp(static_cast<double>(a), e.mantissa - exponent);
  return {exponent, clamp(static_cast<float>(std::nearbyint(scaled)), 0, e.high)};
}

float value(const Parts& p, const Minifloat& e) {
  return static_cast<float>(std::ldexp(static_cast<double>(p.mantissa), p.exponent - e.mantissa));
}

float quantise(float x, const Minifloat& e) {
  if (std::isnan(x)) return x;
  if (is_near_zero(x)) return pass_through(x);
  return std::copysign(value(parts(x, e), e), x);
}

std::int64_t encode(float x, const Minifloat& e) {
  if (is_near_zero(x)) return 0;
  const Parts p = parts(x, e);
  return with_sign(
      x, (std::int64_t{p.exponent + e.bias} << e.mantissa) | static_cast<std::int64_t>(p.mantissa),
      e.exponent_bits() + e.mantissa);
}

float decode(std::int64_t code, const Minifloat& e) {
  const int bits = e.exponent_bits();
  const std::int64_t field = code >> e.mantissa & ((std::int64_t{1} << bits) - 1);
  const std::int64_t mantissa = code & ((std::int64_t{1} << e.mantissa) - 1);
  return signed_as(code, bits + e.mantissa,
                   value({static_cast<int>(field) - e.bias, static_cast<float>(mantissa)}, e));
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
  return {
      .name = "minifloat_denorm",
      .suffix = "MinifloatDenorm",
      .doc =
          "q = ± 2^E · M with E = clamp(⌈log2(|x| + 1e-9)⌉, -bias, 2^e - 1 - bias) and "
          "M = clamp(rne(|x| / 2^E · 2^m), 0, 2^m - 1) / 2^m, where m = width - e - 1. No implicit "
          "one, no infinity; it saturates, and exact powers of two are not representable (1 "
          "becomes 0.875 for m = 3). |x| <= 1e-8 passes through.",
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
                        return bias_candidates((1 << c.integer("exponent_width")) - 2, abs_max);
                      }},
      .passes_tiny = true,
      .samples = {"width=8 exponent_width=4 exponent_bias=7", "width=4 exponent_width=2",
                  "width=31 exponent_width=8", "width=9 exponent_width=3 exponent_bias=140",
                  "width=12 exponent_width=8 exponent_bias=-100"}};
}

}  // namespace chop::formats::minifloat_denorm
