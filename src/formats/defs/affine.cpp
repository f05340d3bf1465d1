// q = s · clamp(rne(x / s), low - z, high - z): whole numbers with a scale and a zero point,
// what ONNX's QuantizeLinear and DequantizeLinear make of a number between them.
#include "formats/defs/affine-simd.hpp"
#include "formats/groups.hpp"

namespace chop::formats::affine {
namespace {

Status complete(Config& config) {
  const int width = config.integer("width");
  const bool is_signed = config.flag("is_signed");
  const double low = is_signed ? -std::ldexp(1.0, width - 1) : 0;
  const double high = std::ldexp(1.0, is_signed ? width - 1 : width) - 1;
  const double zero = config.integer("zero_point");
  if (zero >= low && zero <= high) return {};
  return Error{.what = cat("zero_point = ", config.integer("zero_point"), " is no code of ", width,
                           is_signed ? " signed bits" : " bits"),
               .hint = cat("use a whole number from ", static_cast<std::int64_t>(low), " to ",
                           static_cast<std::int64_t>(high))};
}

/// The bounds are those of x / s, so the zero point is in them already.
Affine element(const Config& config) {
  const CodeBounds codes = code_bounds(config.integer("width"), config.flag("is_signed"));
  Affine e{.low = codes.low, .high = codes.high, .zero = config.integer("zero_point")};
  if (config.flag("narrow")) {  // as many negative numbers as positive ones
    if (config.flag("is_signed"))
      e.low += 1;
    else
      e.high -= 1;
  }
  e.low -= static_cast<float>(e.zero);
  e.high -= static_cast<float>(e.zero);
  return e;
}

/// A scale must stay above zero, whatever training makes of it, and its multiples finite.
void restore(Affine& e, float shared) {
  const float most = std::numeric_limits<float>::max() / std::fmax(1.0F, std::fmax(-e.low, e.high));
  e.shared = e.scale = std::fmin(std::fmax(shared, std::numeric_limits<float>::min()), most);
}

float quantise(float x, const Affine& e) {
  return clamp(std::nearbyint(x / e.scale), e.low, e.high) * e.scale;
}

std::int64_t encode(float x, const Affine& e) {
  return static_cast<std::int64_t>(clamp(std::nearbyint(x / e.scale), e.low, e.high)) + e.zero;
}

float decode(std::int64_t code, const Affine& e) {
  return static_cast<float>(code - e.zero) * e.scale;
}

float initial(const Affine& e, double abs_mean) {
  const double most = std::max(1.0, static_cast<double>(std::fmax(-e.low, e.high)));
  return abs_mean > 0 ? static_cast<float>(2 * abs_mean / std::sqrt(most)) : 1.0F;
}

Grid grid(const Affine& e) {
  return {.step = e.scale, .low = e.low, .high = e.high};
}

std::optional<OnnxForm> onnx(const Config& config) {
  std::optional<OnnxForm> form = granular_onnx(config, "scale");
  if (!form) return {};
  form->zero = config.integer("zero_point");
  form->narrow = config.flag("narrow");
  return form;
}

Range range(const Config& config) {
  const Affine e = element(config);
  return code_range(e.low, e.high);
}

}  // namespace

FormatDef define() {
  return granular_format(
      "tensor",
      {
          .name = "affine",
          .suffix = "Affine",
          .doc =
              "q = s · clamp(rne(x / s), low - z, high - z) with [low, high] as for `integer`, a "
              "scale s and a zero point z. The numbers of ONNX's QuantizeLinear and of QONNX's "
              "Quant. The scale can be learned, as the step of `lsq_integer`.",
          .keys = {width_key(1, 24),
                   {.name = "zero_point",
                    .initial = 0,
                    .doc = "the code that stands for zero",
                    .bounds = {.least = -8388608, .most = 16777215}},
                   signed_key(),
                   {.name = "narrow",
                    .initial = false,
                    .doc = "leave out the lowest code (signed) or the highest (unsigned)"},
                   {.name = "scale",
                    .doc = "the scale, or one per group; absent: from the data, 2 mean|x| / √high",
                    .kind = FieldKind::Reals,
                    .bounds = {.least = 0}}},
          .precision = {"width"},
          .complete = complete,
          .codec = codec_of<element, quantise, encode, decode>,
          .restore = own<restore>,
          .fast = fast_loop(),
          .grid = own<grid>,
          .onnx = onnx,
          .range = range,
          .gradient = GradientRule::Learned,
          .learned = "scale",
          .initial = own<initial>,
          .samples = {"width=8 scale=0.05", "width=4 narrow=true",
                      "width=8 is_signed=false zero_point=128 scale=0.02",
                      "width=2 granularity=channel",
                      "width=1 is_signed=false zero_point=1 scale=1.5"},
      });
}

}  // namespace chop::formats::affine
