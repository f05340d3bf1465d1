// log(width, b) with a bias that a block shares: b = clamp(2^(width-1) - 1 - ⌈log2 max|x|⌉, 0, 2^bw
// - 1).
#include <algorithm>

#include "formats/groups.hpp"

namespace chop::formats::block_log {
namespace {

/// `high` is the largest bias: 2^-150 would be no float32.
Element element(const Config& config) {
  Element e{.kind = Kind::Log};
  e.mantissa = config.integer("width") - 1;
  e.high = static_cast<float>(std::min((1 << config.integer("exponent_bias_width")) - 1, 149));
  return e;
}

void restore(Element& e, float shared) {
  e.shared = shared;
  log_::set_bias(e, static_cast<int>(shared));
}

void share(Element& e, const GroupFacts& facts) {
  const float top = pow2(e.mantissa) - 1;
  const float wanted = top - std::ceil(log2_float(facts.abs_max));
  restore(e, clamp(wanted, 0, e.high));
}

Range range(const Config& config) {
  const Element e = element(config);
  const double highest = std::ldexp(1.0, std::min((1 << e.mantissa) - 1, 127));
  return {.lowest = -highest,
          .highest = highest,
          .least_positive = std::ldexp(1.0, -static_cast<int>(e.high)),
          .has_zero = false};
}

}  // namespace

FormatDef define() {
  return block_format({
      .name = "block_log",
      .suffix = "BlockLog",
      .doc =
          "log(width, b) with a bias that a block shares: b = clamp(2^(width-1) - 1 - ⌈log2 "
          "max|x|⌉, "
          "0, 2^bw - 1). Powers of two whose top is the block's largest value; zero becomes 2^-b. "
          "An "
          "all-zero block takes the bias of the smallest other one.",
      .keys = {width_key(2, 9), exponent_bias_width_key(), block_size_key(), skip_first_dim_key()},
      .precision = {"width", "exponent_bias_width", "block_size"},
      .element = element,
      .share = share,
      .restore = restore,
      .quantise = log_::quantise,
      .encode = log_::encode,
      .decode = log_::decode,
      .range = range,
  });
}

}  // namespace chop::formats::block_log
