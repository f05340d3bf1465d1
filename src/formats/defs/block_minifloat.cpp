// minifloat_ieee(width, e, b) with a bias b that a block shares: b = clamp(⌊log2 max|x|⌋, 0, 2^bw -
// 1).
#include <algorithm>

#include "formats/groups.hpp"

namespace chop::formats::block_minifloat {
namespace {

/// `strict` says that the bias follows the data the right way round.
Element element(const Config& config) {
  Element e{.kind = Kind::Ieee};
  const int bits = config.integer("exponent_width");
  e.mantissa = config.integer("width") - bits - 1;
  e.high = pow2(e.mantissa) - 1;
  e.e_max = (1 << bits) - 1;
  e.bias = std::min((1 << config.integer("exponent_bias_width")) - 1, 149);
  e.strict = config.text("bias_rule") == "top";
  return e;
}

void restore(Element& e, float shared) {
  const int top = e.e_max - e.e_min;  // 2^exponent_width - 1
  e.shared = shared;
  e.e_min = -static_cast<int>(shared);
  e.e_max = top + e.e_min;
}

void share(Element& e, const GroupFacts& facts) {
  const float exponent = std::floor(log2_float(facts.abs_max));
  const auto top = static_cast<float>(e.e_max - e.e_min);
  restore(e, static_cast<float>(clamp_exponent(e.strict ? top - exponent : exponent, 0, e.bias)));
}

Status complete(Config& config) {
  return check_minifloat_width(config);
}

/// Over all biases a block may have.
Range range(const Config& config) {
  const Element e = element(config);
  const double highest = std::ldexp(2.0 - std::ldexp(1.0, -e.mantissa), std::min(e.e_max, 127));
  return {.lowest = -highest,
          .highest = highest,
          .least_positive = std::ldexp(1.0, 1 - e.bias - e.mantissa)};
}

}  // namespace

FormatDef define() {
  return block_format({
      .name = "block_minifloat",
      .suffix = "BlockMinifloat",
      .doc =
          "minifloat_ieee(width, e, b) with a bias that a block shares. As in the reference system "
          "b = clamp(⌊log2 max|x|⌋, 0, 2^bw - 1), which moves the range down for large values: "
          "blocks "
          "below 1 have steps of 2^(1-m) and lose their small values. bias_rule = top puts the top "
          "exponent at the largest value instead: b = clamp(2^e - 1 - ⌊log2 max|x|⌋, 0, 2^bw - 1). "
          "An all-zero block takes the bias of the smallest other one.",
      .keys = {width_key(3, 31),
               exponent_width_key(7),
               exponent_bias_width_key(),
               block_size_key(),
               skip_first_dim_key(),
               {.name = "bias_rule",
                .initial = "reference",
                .doc = "how the shared bias follows the largest value of a block",
                .choices = {"reference", "top"}}},
      .precision = {"width", "exponent_width", "exponent_bias_width", "block_size"},
      .complete = complete,
      .element = element,
      .share = share,
      .restore = restore,
      .quantise = minifloat_ieee::quantise,
      .encode = minifloat_ieee::encode,
      .decode = minifloat_ieee::decode,
      .range = range,
  });
}

}  // namespace chop::formats::block_minifloat
