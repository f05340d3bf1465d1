// q = Σ b_l, b_l = sign(r_l) · |means_l|, r_0 = x, r_{l+1} = r_l - b_l: signs of what is left.
#include "formats/defs/binary_residual-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::binary_residual {
namespace {

/// A descending ramp whose sum is 1: 2/3, 1/3 for two levels.
Status complete(Config& config) {
  const int levels = config.integer("levels");
  if (!config.has("means")) {
    std::vector<double> means;
    for (int l = levels; l >= 1; --l) means.push_back(2.0 * l / (levels * (levels + 1)));
    config.set("means", std::move(means));
  }
  if (config.reals("means").size() == static_cast<std::size_t>(levels)) return {};
  return Error{.what = cat("format 'binary_residual': ", config.reals("means").size(),
                           " means for ", levels, " levels"),
               .hint = "means holds one number per level, or is left out"};
}

Levels element(const Config& config) {
  Levels e{.count = config.integer("levels")};
  for (std::size_t l = 0; l < config.reals("means").size(); ++l)
    e.mean[l] = static_cast<float>(std::fabs(config.reals("means")[l]));
  return e;
}

float quantise(float x, const Levels& e) {
  if (std::isnan(x)) return x;
  float rest = x;
  float sum = 0;
  for (int l = 0; l < e.count; ++l) {
    const float b =
        rest >= 0 ? e.mean[static_cast<std::size_t>(l)] : -e.mean[static_cast<std::size_t>(l)];
    sum += b;
    rest -= b;
  }
  return sum;
}

/// Bit l of the code is set where level l is positive.
std::int64_t encode(float x, const Levels& e) {
  float rest = x;
  std::int64_t code = 0;
  for (int l = 0; l < e.count; ++l) {
    const float mean = e.mean[static_cast<std::size_t>(l)];
    if (rest >= 0) code |= std::int64_t{1} << l;
    rest -= rest >= 0 ? mean : -mean;
  }
  return code;
}

float decode(std::int64_t code, const Levels& e) {
  float sum = 0;
  for (int l = 0; l < e.count; ++l) {
    const float mean = e.mean[static_cast<std::size_t>(l)];
    sum += (code >> l & 1) != 0 ? mean : -mean;
  }
  return sum;
}

Range range(const Config& config) {
  const Levels e = element(config);
  Range range{.lowest = 0, .highest = 0, .least_positive = 0, .has_zero = false};
  for (std::int64_t code = 0; code < std::int64_t{1} << e.count; ++code) {
    const double value = decode(code, e);
    range.lowest = std::min(range.lowest, value);
    range.highest = std::max(range.highest, value);
    range.has_zero = range.has_zero || value == 0;
    if (value > 0 && (range.least_positive == 0 || value < range.least_positive))
      range.least_positive = value;
  }
  return range;
}

}  // namespace

FormatDef define() {
  Field width = width_key(1, 3, 1);
  width.doc = "kept for its name in configurations; a value takes `levels` bits";
  return {.name = "binary_residual",
          .suffix = "BinaryResidualSign",
          .doc =
              "q = Σ b_l with b_l = sign(r_l) · |means_l|, r_0 = x, r_{l+1} = r_l - b_l; the sign "
              "of zero is +. The gradient passes where |x| <= 1.",
          .keys = {width,
                   {.name = "stochastic",
                    .initial = false,
                    .doc = "kept for its name in configurations; signs are never drawn"},
                   {.name = "bipolar",
                    .initial = true,
                    .doc = "kept for its name in configurations; signs are always +1 and -1"},
                   {.name = "levels",
                    .initial = 2,
                    .doc = "how many signs",
                    .bounds = {.least = 1, .most = 3}},
                   {.name = "means",
                    .doc = "magnitude of each level; absent: a descending ramp (2/3, 1/3)",
                    .kind = FieldKind::Reals}},
          .derived = {"means"},
          .precision = {"width", "stochastic", "bipolar"},
          .complete = complete,
          .codec = codec_of<element, quantise, encode, decode>,
          .fast = fast_loop(),
          .bits = [](const Config& c) { return Bits{.value = c.integer("levels")}; },
          .range = range,
          .gradient = GradientRule::Clipped,
          .samples = {"", "levels=3 means=[0.7,0.2,-0.1]"}};
}

}  // namespace chop::formats::binary_residual
