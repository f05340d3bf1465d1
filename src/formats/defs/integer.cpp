// q = clamp(rne(x · 2^f), low, high) / 2^f: fixed point, f bits after the point.
#include "formats/defs/integer-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::integer {

Grid element(const Config& config) {
  const CodeBounds codes = code_bounds(config.integer("width"), config.flag("is_signed"));
  return {.step = pow2(-config.integer("frac_width")), .low = codes.low, .high = codes.high};
}

std::optional<OnnxForm> onnx(const Config& config) {
  return OnnxForm{.scales = {std::ldexp(1.0, -config.integer("frac_width"))},
                  .width = config.integer("width"),
                  .is_signed = config.flag("is_signed")};
}

namespace {

/// The multiple of the step that x goes to.
float multiple(float x, const Grid& e) {
  const float scaled = x / e.step;
  const float rounded = e.rounding == Rounding::Down ? std::floor(scaled) : std::nearbyint(scaled);
  return clamp(rounded, e.low, e.high);
}

float quantise(float x, const Grid& e) {
  return multiple(x, e) * e.step;
}

std::int64_t encode(float x, const Grid& e) {
  return static_cast<std::int64_t>(multiple(x, e));
}

float decode(std::int64_t code, const Grid& e) {
  return static_cast<float>(code) * e.step;
}

Grid grid(const Grid& e) {
  return e;
}

Status complete(Config& config) {
  if (!config.has("frac_width"))
    config.set("frac_width", std::int64_t{config.integer("width") / 2});
  return {};
}

Range range(const Config& config) {
  const Grid e = element(config);
  const double step = e.step;
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
          .aliases = {"fixed", "logicnets"},
          .keys = {width_key(1, 32),
                   {.name = "frac_width",
                    .doc = "bits after the point; absent: width // 2",
                    .kind = FieldKind::Integer,
                    .bounds = {.least = -64, .most = 64}},
                   signed_key()},
          .derived = {"frac_width"},
          .precision = {"width", "frac_width"},
          .complete = complete,
          .codec = codec_of<element, quantise, encode, decode>,
          .fast = fast_loop(),
          .grid = own<grid>,
          .onnx = onnx,
          .range = range,
          .calibration = {"frac_width", frac_width_candidates, /*when_absent=*/true},
          .idempotent = true,
          .samples = {"width=8 frac_width=4", "width=8 frac_width=4 is_signed=false",
                      "width=1 frac_width=0", "width=16 frac_width=20", "width=32 frac_width=-3"}};
}

}  // namespace chop::formats::integer
