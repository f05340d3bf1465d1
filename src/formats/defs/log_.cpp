// q = ± 2^E with E = clamp(rne(log2(|x| + p/10)), -bias, 2^k - 1 - bias), p = 2^-bias, k = width
// - 1.
#include "formats/defs/log_-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::log_ {
namespace {

Status complete(Config& config) {
  derive_bias(config, config.integer("width") - 1);
  return {};
}

Powers element(const Config& config) {
  Powers e{.bits = config.integer("width") - 1};
  set_bias(e, config.integer("exponent_bias"));
  return e;
}

int exponent(float x, const Powers& e) {
  const float wanted = std::nearbyint(log2_float(std::fabs(x) + e.epsilon));
  return clamp_exponent(wanted, e.e_min, std::min(e.e_max, 127));
}

bool is_negative(float x, const Powers& e) {
  return x + e.epsilon < 0;
}

Range range(const Config& config) {
  const Powers e = element(config);
  const double highest = std::ldexp(1.0, std::min(e.e_max, 127));
  return {.lowest = -highest,
          .highest = highest,
          .least_positive = std::ldexp(1.0, e.e_min),
          .has_zero = false};
}

}  // namespace

void set_bias(Powers& e, int bias) {
  e.bias = bias;
  e.e_min = -bias;
  e.e_max = (1 << e.bits) - 1 - bias;
  e.epsilon = static_cast<float>(0.1 * std::ldexp(1.0, -bias));
}

float quantise(float x, const Powers& e) {
  if (std::isnan(x)) return x;
  const float magnitude = pow2(exponent(x, e));
  return is_negative(x, e) ? -magnitude : magnitude;
}

std::int64_t encode(float x, const Powers& e) {
  const std::int64_t field = exponent(x, e) + e.bias;
  return is_negative(x, e) ? field | (std::int64_t{1} << e.bits) : field;
}

float decode(std::int64_t code, const Powers& e) {
  const std::int64_t field = code & ((std::int64_t{1} << e.bits) - 1);
  return signed_as(code, e.bits, pow2(static_cast<int>(field) - e.bias));
}

FormatDef define() {
  return {
      .name = "log",
      .suffix = "Log",
      .doc =
          "q = sign(x + p/10) · 2^E with p = 2^-bias and E = clamp(rne(log2(|x| + p/10)), -bias, "
          "2^(width-1) - 1 - bias): powers of two. Zero is not representable, it becomes p.",
      .keys = {width_key(2, 9), exponent_bias_key()},
      .derived = {"exponent_bias"},
      .precision = {"width", "exponent_bias"},
      .complete = complete,
      .codec = codec_of<element, quantise, encode, decode>,
      .fast = fast_loop(),
      .range = range,
      .calibration = {"exponent_bias",
                      [](const Config& c, double abs_max) {
                        return bias_candidates((1 << (c.integer("width") - 1)) - 1, abs_max);
                      }},
      .idempotent = true,
      .samples = {"width=8", "width=8 exponent_bias=128", "width=4", "width=9 exponent_bias=149"}};
}

}  // namespace chop::formats::log_
