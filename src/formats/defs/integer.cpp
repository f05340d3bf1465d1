// q = clamp(rne(x · 2^f), low, high) / 2^f: fixed point, f bits after the point.
#include <algorithm>

#include "formats/numbers.hpp"

namespace chop::formats::integer {

float quantise(float x, const Element& e, std::uint64_t /*index*/) {
  const float scaled = x * e.scale * e.scale2;
  const float rounded = e.floor ? std::floor(scaled) : std::nearbyint(scaled);
  return clamp(rounded, e.low, e.high) * e.unscale;
}

std::int64_t encode(float x, const Element& e, std::uint64_t /*index*/) {
  const float scaled = x * e.scale * e.scale2;
  const float rounded = e.floor ? std::floor(scaled) : std::nearbyint(scaled);
  return static_cast<std::int64_t>(clamp(rounded, e.low, e.high));
}

float decode(std::int64_t code, const Element& e) {
  return static_cast<float>(code) * e.unscale;
}

Element element(const Config& config) {
  Element e{.kind = Kind::Fixed};
  e.scale = pow2(config.integer("frac_width"));
  e.unscale = pow2(-config.integer("frac_width"));
  set_code_bounds(e, config.integer("width"), config.flag("is_signed"));
  return e;
}

namespace {

Status complete(Config& config) {
  if (!config.has("frac_width"))
    config.set("frac_width", std::int64_t{config.integer("width") / 2});
  return {};
}

Range range(const Config& config) {
  const Element e = element(config);
  const double step = e.unscale;
  return {.lowest = e.low * step,
          .highest = e.high * step,
          .least_positive = e.high > 0 ? step : 0,
          .step = step};
}

/// From one binade of headroom to values clipped at 1/16 of the largest.
std::vector<Attr> frac_width_candidates(const Config& config, double abs_max) {
  const int top = abs_max > 0 && std::isfinite(abs_max) ? std::ilogb(abs_max) + 1 : 0;
  const int magnitude = config.integer("width") - (config.flag("is_signed") ? 1 : 0);
  std::vector<Attr> candidates;
  for (int clipped = -1; clipped <= 4; ++clipped)
    candidates.emplace_back(std::int64_t{std::clamp(magnitude - top + clipped, -64, 64)});
  return candidates;
}

}  // namespace

FormatDef define() {
  return {.name = "integer",
          .suffix = "Integer",
          .doc =
              "q = clamp(rne(x · 2^frac_width), low, high) / 2^frac_width, where [low, high] is "
              "[-2^(width-1), 2^(width-1) - 1], or [0, 2^width - 1] unsigned. Fixed point, rounded "
              "half to even; the sign of zero stays. Beyond 24 bits the bounds are the nearest "
              "float32 inside them.",
          .aliases = {"fixed"},
          .keys = {width_key(1, 32),
                   {.name = "frac_width",
                    .doc = "bits after the point; absent: width // 2",
                    .kind = FieldKind::Integer,
                    .bounds = {.least = -64, .most = 64}},
                   signed_key()},
          .derived = {"frac_width"},
          .precision = {"width", "frac_width"},
          .complete = complete,
          .element = element,
          .quantise = quantise,
          .encode = encode,
          .decode = decode,
          .bits = [](const Config& c) { return Bits{.value = c.integer("width")}; },
          .range = range,
          .calibration = {"frac_width", frac_width_candidates, /*when_absent=*/true}};
}

}  // namespace chop::formats::integer
