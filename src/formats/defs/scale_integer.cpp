// q = clamp(rne(x · s), low, high) / s, with s = 2^(w-1) / (max|x| + 1e-9) of each group.
#include "formats/groups.hpp"

namespace chop::formats::scale_integer {
namespace {

Element element(const Config& config) {
  Element e{.kind = Kind::Scaled};
  set_code_bounds(e, config.integer("width"), config.flag("is_signed"));
  e.epsilon = pow2(config.integer("width") - (config.flag("is_signed") ? 1 : 0));
  return e;
}

void restore(Element& e, float shared) {
  e.shared = e.scale = shared;
}

void share(Element& e, const GroupFacts& facts) {
  restore(e, e.epsilon / (facts.abs_max + kEpsilon));
}

float quantise(float x, const Element& e, std::uint64_t /*index*/) {
  return clamp(std::nearbyint(x * e.scale), e.low, e.high) / e.scale;
}

std::int64_t encode(float x, const Element& e, std::uint64_t /*index*/) {
  return static_cast<std::int64_t>(clamp(std::nearbyint(x * e.scale), e.low, e.high));
}

float decode(std::int64_t code, const Element& e) {
  return static_cast<float>(code) / e.scale;
}

Range range(const Config& config) {
  return code_range(element(config));
}

}  // namespace

FormatDef define() {
  return granular_format(
      "row",
      {
          .name = "scale_integer",
          .suffix = "ScaleInteger",
          .doc = "q = clamp(rne(x · s), low, high) / s, where s = 2^(width-1) / (max|x| + 1e-9) "
                 "(2^width / ... unsigned) of each row, channel or tensor. Whole numbers with a "
                 "float32 scale that follows the data.",
          .keys = {width_key(1, 24), signed_key()},
          .precision = {"width"},
          .element = element,
          .measure = Measure::AbsMax,
          .share = share,
          .restore = restore,
          .quantise = quantise,
          .encode = encode,
          .decode = decode,
          .range = range,
      });
}

}  // namespace chop::formats::scale_integer
