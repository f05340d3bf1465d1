// minifloat_ieee(width, e, b) with a bias b that a block shares: b = clamp(⌊log2 max|x|⌋, 0, 2^bw -
// 1).
#include "formats/defs/minifloat_ieee-simd.hpp"
#include "formats/groups.hpp"

namespace chop::formats::block_minifloat {
namespace {

Minifloat element(const Config& config) {
  const int bits = config.integer("exponent_width");
  const int mantissa = config.integer("width") - bits - 1;
  return {.mantissa = mantissa,
          .e_max = (1 << bits) - 1,
          .high = pow2(mantissa) - 1,
          .most_bias = std::min((1 << config.integer("exponent_bias_width")) - 1, 149),
          .top = config.text("bias_rule") == "top"};
}

void restore(Minifloat& e, float shared) {
  const int top = e.e_max - e.e_min;  // 2^exponent_width - 1
  e.shared = shared;
  e.e_min = -static_cast<int>(shared);
  e.e_max = top + e.e_min;
}

void share(Minifloat& e, const GroupFacts& facts) {
  const float exponent = std::floor(log2_float(facts.abs_max));
  const auto top = static_cast<float>(e.e_max - e.e_min);
  restore(e, static_cast<float>(clamp_exponent(e.top ? top - exponent : exponent, 0, e.most_bias)));
}

/// Over all biases a block may have.
Range range(const Config& config) {
  const Minifloat e = element(config);
  const double highest = std::ldexp(2.0 - std::ldexp(1.0, -e.mantissa), std::min(e.e_max, 127));
  return {.lowest = -highest,
          .highest = highest,
          .least_positive = std::ldexp(1.0, 1 - e.most_bias - e.mantissa)};
}

}  // namespace

FormatDef define() {
  return block_format({
      .name = "block_minifloat",
      .suffix = "BlockMinifloat",
      .doc = "minifloat_ieee(width, e, b) with a bias that a block shares. As in the reference "
             "system b = clamp(⌊log2 max|x|⌋, 0, 2^bw - 1), which moves the range down for large "
             "values: blocks below 1 have steps of 2^(1-m) and lose their small values. bias_rule "
             "= top puts the top exponent at the largest value instead: b = clamp(2^e - 1 - ⌊log2 "
             "max|x|⌋, 0, 2^bw - 1). An all-zero block takes the bias of the smallest other one.",
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
      .complete = [](Config& config) -> Status { return check_minifloat_width(config); },
      .codec = minifloat_codec<element, minifloat_ieee::parts, minifloat_ieee::value>,
      .share = own<share>,
      .restore = own<restore>,
      .fast = minifloat_ieee::fast_loop(),
      .fast_suits = own<stays_normal>,
      .range = range,
      .passes_tiny = true,
      .samples = {"width=8 exponent_width=4 exponent_bias_width=4 block_size=[8]",
                  "width=6 exponent_width=3 exponent_bias_width=8 block_size=[1,5] bias_rule=top"},
  });
}

}  // namespace chop::formats::block_minifloat
