// log(width, b) with a bias that a block shares: b = clamp(2^(width-1) - 1 - ⌈log2 max|x|⌉, 0, 2^bw
// - 1).
#include "formats/defs/log_-simd.hpp"
#include "formats/groups.hpp"

namespace chop::formats::block_log {
namespace {

using log_::Powers;

/// A bias of 150 would be too large: 2^-150 is no float32.
Powers element(const Config& config) {
  return {.bits = config.integer("width") - 1,
          .most_bias = std::min((1 << config.integer("exponent_bias_width")) - 1, 149)};
}

void restore(Powers& e, float shared) {
  e.shared = shared;
  log_::set_bias(e, static_cast<int>(shared));
}

void share(Powers& e, const GroupFacts& facts) {
  const float top = pow2(e.bits) - 1;
  const float wanted = top - std::ceil(log2_float(facts.abs_max));
  restore(e, clamp(wanted, 0, static_cast<float>(e.most_bias)));
}

Range range(const Config& config) {
  const Powers e = element(config);
  const double highest = std::ldexp(1.0, std::min((1 << e.bits) - 1, 127));
  return {.lowest = -highest,
          .highest = highest,
          .least_positive = std::ldexp(1.0, -e.most_bias),
          .has_zero = false};
}

}  // namespace

FormatDef define() {
  return block_format({
      .name = "block_log",
      .suffix = "BlockLog",
      .doc = "log(width, b) with a bias that a block shares: b = clamp(2^(width-1) - 1 - ⌈log2 "
             "max|x|⌉, 0, 2^bw - 1). Powers of two whose top is the block's largest value; zero "
             "becomes 2^-b. An all-zero block takes the bias of the smallest other one.",
      .keys = {width_key(2, 9), exponent_bias_width_key(), block_size_key(), skip_first_dim_key()},
      .precision = {"width", "exponent_bias_width", "block_size"},
      .codec = codec_of<element, log_::quantise, log_::encode, log_::decode>,
      .share = own<share>,
      .restore = own<restore>,
      .fast = log_::fast_loop(),
      .range = range,
      .samples = {"width=8 exponent_bias_width=4 block_size=[16]",
                  "width=5 exponent_bias_width=8 block_size=[3,-1] skip_first_dim=true"},
  });
}

}  // namespace chop::formats::block_log
