// Small things the definitions of formats have in common.
#pragma once

#include "formats/own.hpp"

namespace chop::formats {

constexpr float kEpsilon = 1e-9F;   ///< what the reference system adds before a logarithm
constexpr float kNearZero = 1e-8F;  ///< magnitudes up to this pass through some formats

/// The base-2 logarithm rounded once to float32, as PyTorch computes it. So just above a
/// large power of two it is that whole exponent, and just below one it may be as well.
inline float log2_float(float x) {
  return static_cast<float>(std::log2(static_cast<double>(x)));
}
inline float pow2(int exponent) {
  return static_cast<float>(std::ldexp(1.0, exponent));
}
/// The largest float32 that is at most `value`.
inline float float_at_most(double value) {
  const auto near = static_cast<float>(value);
  return static_cast<double>(near) > value ? std::nextafter(near, -INFINITY) : near;
}
inline float clamp(float x, float low, float high) {  // NaN stays, and so does -0 at a bound of 0
  return x < low ? low : x > high ? high : x;
}
inline int clamp_exponent(float exponent, int low, int high) {
  return static_cast<int>(
      std::fmin(std::fmax(exponent, static_cast<float>(low)), static_cast<float>(high)));
}
inline bool is_near_zero(float x) {
  return std::fabs(x) <= kNearZero;
}
/// What a value near zero becomes: itself, but -0 becomes 0.
inline float pass_through(float x) {
  return x + 0.0F;
}

/// floor(log2 x) of a positive finite number, exactly.
inline int exponent_of(float x) {
  return std::ilogb(x);
}
inline int ceil_exponent_of(float x) {
  const int exponent = std::ilogb(x);
  return std::ldexp(1.0, exponent) == static_cast<double>(x) ? exponent : exponent + 1;
}

/// Codes of signed magnitudes: the sign above `bits` bits.
inline std::int64_t with_sign(float x, std::int64_t magnitude, int bits) {
  return std::signbit(x) ? magnitude | (std::int64_t{1} << bits) : magnitude;
}
inline float signed_as(std::int64_t code, int bits, float magnitude) {
  return (code >> bits & 1) != 0 ? -magnitude : magnitude;
}

/// The least and greatest code of a whole number of `width` bits, as floats.
struct CodeBounds {
  float low = 0;
  float high = 0;
};
CodeBounds code_bounds(int width, bool is_signed);

/// Mean of the finite magnitudes (or of those above `threshold` alone), added in the order in
/// which PyTorch adds a row, so that it has the same bits; 0 when there are none.
float abs_mean(std::span<const float> values, float threshold = -1);

// Keys that many formats have.
/// Fills in the exponent's bias and checks that the fields fit the width.
Status complete_minifloat(Config& config);
/// A float of its own for every value.
struct Minifloat {
  int mantissa = 0;  ///< bits after the point
  int bias = 0;
  int e_min = 0;  ///< least and greatest exponent
  int e_max = 0;
  float high = 0;  ///< greatest mantissa: 2^mantissa - 1
  // Where a block shares the bias:
  float shared = 0;
  int most_bias = 0;
  bool top = false;  ///< it puts the top exponent at the largest value

  /// Of the field that holds the exponent.
  int exponent_bits() const { return std::ilogb(static_cast<double>(e_max - e_min + 1)); }
};
/// By the keys width, exponent_width and exponent_bias; the rest is mantissa.
Minifloat minifloat_element(const Config& config);
struct MinifloatParts {
  int exponent;
  float mantissa;  ///< a whole number
};
/// Formats of such floats, from how a value is taken apart (`parts`) and put together (`value`).
template <auto parts, auto value>
struct MinifloatCodec {
  static float quantise(float x, const Minifloat& e) {
    if (std::isnan(x)) return x;
    if (is_near_zero(x)) return pass_through(x);
    return std::copysign(value(parts(x, e), e), x);
  }
  static std::int64_t encode(float x, const Minifloat& e) {
    if (is_near_zero(x)) return 0;
    const MinifloatParts p = parts(x, e);
    const std::int64_t field = std::int64_t{p.exponent - e.e_min} << e.mantissa;
    return with_sign(x, field | static_cast<std::int64_t>(p.mantissa),
                     e.exponent_bits() + e.mantissa);
  }
  static float decode(std::int64_t code, const Minifloat& e) {
    const int bits = e.exponent_bits();
    const std::int64_t field = code >> e.mantissa & ((std::int64_t{1} << bits) - 1);
    const std::int64_t mantissa = code & ((std::int64_t{1} << e.mantissa) - 1);
    return signed_as(code, bits + e.mantissa,
                     value({static_cast<int>(field) + e.e_min, static_cast<float>(mantissa)}, e));
  }
};
template <auto element, auto parts, auto value, class Own = MinifloatCodec<parts, value>>
inline constexpr Codec minifloat_codec = codec_of<element, Own::quantise, Own::encode, Own::decode>;
/// Whether vectors can hold what is needed on the way: powers of two leave float32's normal range
/// below 2^-126. Magnitudes above 1e-8 have exponents above -28, unless e_max presses them down.
inline bool stays_normal(const Minifloat& e) {
  return std::min(std::max(e.e_min, -31), e.e_max) - e.mantissa >= -126;
}

Field width_key(int least, int most);
/// One that may be left out: `usual` then.
Field width_key(int least, int most, std::int64_t usual);
Field signed_key();
Field exponent_width_key(int most);
Field exponent_bias_key();

/// exponent_bias, when it was not given: 2^(bits - 1) - 1.
void derive_bias(Config& config, int bits);
/// width, exponent_width and the mantissa bits they leave: at least one.
Status check_minifloat_width(const Config& config);
/// Biases that put the top exponent near that of `abs_max`.
std::vector<Attr> bias_candidates(int top_without_bias, double abs_max);

/// Completes a format of minifloats with exponents of their own: keys and what depends on them.
/// The top exponent is `top` below 2^exponent_width.
template <int top>
FormatDef minifloat_format(FormatDef format) {
  format.keys = {width_key(3, 31), exponent_width_key(8), exponent_bias_key()};
  format.derived = {"exponent_bias"};
  format.precision = {"width", "exponent_width", "exponent_bias"};
  format.complete = complete_minifloat;
  format.fast_suits = own<stays_normal>;
  format.calibration = {"exponent_bias", [](const Config& c, double abs_max) {
                          return bias_candidates((1 << c.integer("exponent_width")) - top, abs_max);
                        }};
  format.passes_tiny = true;
  return format;
}

}  // namespace chop::formats
