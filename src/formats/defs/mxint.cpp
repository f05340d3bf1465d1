// q = 2^S · clamp(rne(x / 2^S · 2^(b-1)), -2^(b-1), 2^(b-1) - 1) / 2^(b-1), S = ⌈log2 max|x|⌉ of
// each block.
#include "formats/defs/mxint-simd.hpp"
#include "formats/groups.hpp"

namespace chop::formats::mxint {
namespace {

Block element(const Config& config) {
  const int width = config.integer("width");
  const CodeBounds codes = code_bounds(width, true);
  Block e{.low = codes.low, .high = codes.high, .mantissa = width - 1};
  e.bias = (1 << (config.integer("scale_bits") - 1)) - 1;
  e.e_min = -e.bias;
  e.e_max = std::min((1 << config.integer("scale_bits")) - 1 - e.bias, 127);  // -2^128 is no float
  return e;
}

/// Scaling up may need two factors: 2^(b - 1 - S) can be beyond float32.
void restore(Block& e, float shared) {
  const int shift = e.mantissa - (static_cast<int>(shared) - e.bias);
  e.shared = shared;
  e.scale = pow2(std::min(shift, 100));
  e.scale2 = pow2(std::max(shift - 100, 0));
  e.unscale = pow2(-shift);
}

void share(Block& e, const GroupFacts& facts) {
  const int wanted = ceil_exponent_of(std::fmax(facts.abs_max, 0x1p-126F));
  restore(e, static_cast<float>(std::clamp(wanted, e.e_min, e.e_max) + e.bias));
}

/// The multiple of 2^(S - b + 1) that x goes to.
float multiple(float x, const Block& e) {
  return clamp(std::nearbyint(x * e.scale * e.scale2), e.low, e.high);
}

float quantise(float x, const Block& e) {
  return multiple(x, e) * e.unscale;
}

std::int64_t encode(float x, const Block& e) {
  return static_cast<std::int64_t>(multiple(x, e));
}

float decode(std::int64_t code, const Block& e) {
  return static_cast<float>(code) * e.unscale;
}

Range range(const Config& config) {
  const Block e = element(config);
  return {.lowest = -1,
          .highest = 1 - std::ldexp(1.0, -e.mantissa),
          .least_positive = std::ldexp(1.0, -e.mantissa),
          .step = std::ldexp(1.0, -e.mantissa),
          .relative = true};
}

}  // namespace

FormatDef define() {
  return row_block_format(
      {.name = "mxint",
       .suffix = "MXInt",
       .doc = "q = 2^S · clamp(rne(x / 2^S · 2^(width-1)), -2^(width-1), 2^(width-1) - 1) / "
              "2^(width-1) with S = ⌈log2 max|x|⌉ of each block of block_size values along "
              "block_dim, S stored in scale_bits bits. The last block of a row may be shorter.",
       .keys = {width_key(2, 24), row_block_size_key(), block_dim_key(),
                scale_bits_key("scale_bits")},
       .precision = {"width", "block_size"},
       .codec = codec_of<element, quantise, encode, decode>,
       .share = own<share>,
       .restore = own<restore>,
       .fast = fast_loop(),
       .shared_bits = "scale_bits",
       .range = range,
       .samples = {"width=8", "width=24 block_size=5 block_dim=0",
                   "width=4 block_size=7 scale_bits=3"}});
}

}  // namespace chop::formats::mxint
