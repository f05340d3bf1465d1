// q = ± 2^E · M, a block of values sharing E = clamp(⌈log2 max|x|⌉, -bias, 2^e - 1 - bias):
// M = clamp(rne((|x| + ε) / 2^E · 2^m), 0, 2^m - 1) / 2^m.
#include "formats/defs/block_fp-simd.hpp"
#include "formats/groups.hpp"

namespace chop::formats::block_fp {
namespace {

Status complete(Config& config) {
  derive_bias(config, config.integer("exponent_width"));
  return {};
}

Block element(const Config& config) {
  Block e{.mantissa = config.integer("width") - 1, .bias = config.integer("exponent_bias")};
  e.e_min = -e.bias;
  e.e_max = (1 << config.integer("exponent_width")) - 1 - e.bias;
  e.high = pow2(e.mantissa) - 1;
  return e;
}

/// The shared value is the exponent as stored, bias added.
void restore(Block& e, float shared) {
  const int exponent = static_cast<int>(shared) - e.bias;
  e.shared = shared;
  e.scale = pow2(std::min(e.mantissa - exponent, 127));
  e.power = pow2(exponent);
  e.unscale = pow2(-e.mantissa);
}

void share(Block& e, const GroupFacts& facts) {
  const int wanted = clamp_exponent(std::ceil(log2_float(facts.abs_max)), e.e_min, e.e_max);
  restore(e, static_cast<float>(std::min(wanted, 127) + e.bias));
}

float mantissa(float x, const Block& e) {
  return clamp(std::nearbyint((std::fabs(x) + kEpsilon) * e.scale), 0, e.high);
}

float quantise(float x, const Block& e) {
  if (std::isnan(x)) return x;
  if (is_near_zero(x)) return pass_through(x);
  return std::copysign(mantissa(x, e) * e.unscale * e.power, x);
}

std::int64_t encode(float x, const Block& e) {
  if (is_near_zero(x)) return 0;
  return with_sign(x, static_cast<std::int64_t>(mantissa(x, e)), e.mantissa);
}

float decode(std::int64_t code, const Block& e) {
  const std::int64_t m = code & ((std::int64_t{1} << e.mantissa) - 1);
  return signed_as(code, e.mantissa, static_cast<float>(m) * e.unscale * e.power);
}

Range range(const Config& config) {
  const Block e = element(config);
  const double highest = std::ldexp(1.0 - std::ldexp(1.0, -e.mantissa), std::min(e.e_max, 127));
  return {.lowest = -highest,
          .highest = highest,
          .least_positive = std::ldexp(1.0, e.e_min - e.mantissa)};
}

}  // namespace

FormatDef define() {
  Field exponent = exponent_width_key(8);
  exponent.initial = 8;
  exponent.required = false;
  return block_format({
      .name = "block_fp",
      .suffix = "BlockFP",
      .doc = "q = ± 2^E · M with E = clamp(⌈log2 max|x|⌉, -bias, 2^e - 1 - bias) of each block and "
             "M = clamp(rne((|x| + 1e-9) / 2^E · 2^m), 0, 2^m - 1) / 2^m, where m = width - 1. A "
             "largest "
             "value that is a power of two saturates to (2^m - 1)/2^m of itself; an all-zero block "
             "takes the exponent of the smallest other one. |x| <= 1e-8 passes through.",
      .keys = {width_key(2, 24, 12), exponent, exponent_bias_key(), block_size_key(),
               skip_first_dim_key()},
      .derived = {"exponent_bias"},
      .precision = {"width", "exponent_width", "exponent_bias", "block_size"},
      .complete = complete,
      .codec = codec_of<element, quantise, encode, decode>,
      .share = own<share>,
      .restore = own<restore>,
      .fast = fast_loop(),
      .shared_bits = "exponent_width",
      .range = range,
      .passes_tiny = true,
      .samples = {"width=7 exponent_width=8 block_size=[16]",
                  "width=12 exponent_width=3 exponent_bias=127 block_size=[1,4]",
                  "width=24 block_size=[2,3] skip_first_dim=true"},
  });
}

}  // namespace chop::formats::block_fp
