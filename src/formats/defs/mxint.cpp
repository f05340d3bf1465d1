// q = 2^S · clamp(rne(x / 2^S · 2^(b-1)), -2^(b-1), 2^(b-1) - 1) / 2^(b-1), S = ⌈log2 max|x|⌉ of
// each block.
#include <algorithm>

#include "formats/groups.hpp"

namespace chop::formats::mxint {
namespace {

Element element(const Config& config) {
  Element e{.kind = Kind::Fixed};
  const int width = config.integer("width");
  e.mantissa = width - 1;
  set_code_bounds(e, width, true);
  e.bias = (1 << (config.integer("scale_bits") - 1)) - 1;
  e.e_min = -e.bias;
  e.e_max = std::min((1 << config.integer("scale_bits")) - 1 - e.bias, 127);  // -2^128 is no float
  return e;
}

/// Scaling up may need two factors: 2^(b - 1 - S) can be beyond float32.
void restore(Element& e, float shared) {
  const int shift = e.mantissa - (static_cast<int>(shared) - e.bias);
  e.shared = shared;
  e.scale = pow2(std::min(shift, 100));
  e.scale2 = pow2(std::max(shift - 100, 0));
  e.unscale = pow2(-shift);
}

void share(Element& e, const GroupFacts& facts) {
  const int wanted = ceil_exponent_of(std::fmax(facts.abs_max, 0x1p-126F));
  restore(e, static_cast<float>(std::clamp(wanted, e.e_min, e.e_max) + e.bias));
}

Range range(const Config& config) {
  const Element e = element(config);
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
              "2^(width-1) with "
              "S = ⌈log2 max|x|⌉ of each block of block_size values along block_dim, S stored in "
              "scale_bits bits. The last block of a row may be shorter.",
       .keys = {width_key(2, 24), row_block_size_key(), block_dim_key(),
                scale_bits_key("scale_bits")},
       .precision = {"width", "block_size"},
       .element = element,
       .share = share,
       .restore = restore,
       .quantise = integer::quantise,
       .encode = integer::encode,
       .decode = integer::decode,
       .bits =
           [](const Config& c) {
             return Bits{.value = c.integer("width"), .shared = c.integer("scale_bits")};
           },
       .range = range});
}

}  // namespace chop::formats::mxint
