#include "formats/numbers.hpp"

#include "formats/magnitudes.hpp"

namespace chop::formats {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kRows = 4;

/// What counts for a mean: finite magnitudes above a threshold.
struct Magnitudes {
  std::span<const float> values;
  float threshold = -1;
  std::int64_t counted = 0;

  float at(std::size_t i) {
    const float a = std::fabs(values[i]);
    if (!(a > threshold && std::isfinite(a))) return 0;
    ++counted;
    return a;
  }
  /// sums[k] += the k-th of each of `rows` rows of `Width` values, row by row.
  template <std::size_t Width>
  void add_rows(std::array<float, Width>& sums, std::size_t first, std::size_t rows) {
    if constexpr (Width == kLanes * kRows) {
      counted += add_magnitudes(values.subspan(first * Width, rows * Width), threshold, sums);
    } else {
      for (std::size_t i = first; i < first + rows; ++i)
        for (std::size_t k = 0; k < Width; ++k) sums[k] += at(i * Width + k);
    }
  }
};

/// `Width` sums side by side over `count` rows of `Width` values: partial sums are put away
/// level by level, so that the error grows with the logarithm of the count.
template <std::size_t Width>
std::array<float, Width> cascade(std::size_t count, Magnitudes& magnitudes) {
  constexpr std::size_t kLevels = 4;
  std::size_t bits = 0;
  while ((std::size_t{1} << bits) < count) ++bits;
  const std::size_t power = std::max<std::size_t>(4, bits / kLevels);
  const std::size_t step = std::size_t{1} << power;
  std::array<std::array<float, Width>, kLevels> level = {};
  std::size_t i = 0;
  while (i + step <= count) {
    magnitudes.add_rows(level[0], i, step);
    i += step;
    for (std::size_t j = 1; j < kLevels; ++j) {
      for (std::size_t k = 0; k < Width; ++k) level[j][k] += level[j - 1][k];
      level[j - 1] = {};
      if ((i & ((step - 1) << (j * power))) != 0) break;
    }
  }
  magnitudes.add_rows(level[0], i, count - i);
  for (std::size_t j = 1; j < kLevels; ++j)
    for (std::size_t k = 0; k < Width; ++k) level[0][k] += level[j][k];
  return level[0];
}

/// The sum of all, `Lanes` at a time, in the order of PyTorch's sum over a row.
template <std::size_t Lanes>
float row_sum(Magnitudes& magnitudes) {
  const std::size_t count = magnitudes.values.size();
  const std::size_t vectors = count / Lanes;
  const std::size_t quads = vectors / kRows;
  auto four = cascade<Lanes * kRows>(quads, magnitudes);
  for (std::size_t v = quads * kRows; v < vectors; ++v)
    for (std::size_t k = 0; k < Lanes; ++k) four[k] += magnitudes.at(v * Lanes + k);
  for (std::size_t r = 1; r < kRows; ++r)
    for (std::size_t k = 0; k < Lanes; ++k) four[k] += four[r * Lanes + k];
  float total = 0;
  for (std::size_t i = vectors * Lanes; i < count; ++i) total += magnitudes.at(i);
  for (std::size_t k = 0; k < Lanes; ++k) total += four[k];
  return total;
}

}  // namespace

float abs_mean(std::span<const float> values, float threshold) {
  Magnitudes magnitudes{values, threshold};
  const float sum = values.size() < kLanes ? row_sum<1>(magnitudes) : row_sum<kLanes>(magnitudes);
  if (magnitudes.counted == 0) return 0;
  return std::fmin(sum / static_cast<float>(magnitudes.counted), std::numeric_limits<float>::max());
}

CodeBounds code_bounds(int width, bool is_signed) {
  return {.low = is_signed ? -pow2(width - 1) : 0.0F,
          .high = float_at_most(std::ldexp(1.0, is_signed ? width - 1 : width) - 1)};
}

Status complete_minifloat(Config& config) {
  derive_bias(config, config.integer("exponent_width"));
  return check_minifloat_width(config);
}

Minifloat minifloat_element(const Config& config) {
  const int bits = config.integer("exponent_width");
  Minifloat e{.mantissa = config.integer("width") - bits - 1,
              .bias = config.integer("exponent_bias")};
  e.e_min = -e.bias;
  e.e_max = (1 << bits) - 1 - e.bias;
  e.high = pow2(e.mantissa) - 1;
  return e;
}

Field width_key(int least, int most) {
  return {.name = "width",
          .doc = "bits of a value",
          .required = true,
          .kind = FieldKind::Integer,
          .bounds = {.least = static_cast<double>(least), .most = static_cast<double>(most)}};
}

Field width_key(int least, int most, std::int64_t usual) {
  Field key = width_key(least, most);
  key.initial = usual;
  key.required = false;
  return key;
}

Field signed_key() {
  return {.name = "is_signed", .initial = true, .doc = "false: codes from 0 to 2^width - 1"};
}

Field exponent_width_key(int most) {
  return {.name = "exponent_width",
          .doc = "bits of the exponent",
          .required = true,
          .kind = FieldKind::Integer,
          .bounds = {.least = 1, .most = static_cast<double>(most)}};
}

Field exponent_bias_key() {
  return {.name = "exponent_bias",
          .doc = "exponents are stored plus this; absent: half the range",
          .kind = FieldKind::Integer,
          .bounds = {.least = -126, .most = 149}};
}

void derive_bias(Config& config, int bits) {
  if (!config.has("exponent_bias"))
    config.set("exponent_bias", (std::int64_t{1} << (bits - 1)) - 1);
}

Status check_minifloat_width(const Config& config) {
  const int mantissa = config.integer("width") - config.integer("exponent_width") - 1;
  if (mantissa >= 1 && mantissa <= 22) return {};
  return Error{.what = cat("width = ", config.integer("width"),
                           " and exponent_width = ", config.integer("exponent_width"), " leave ",
                           mantissa, " bits for the mantissa"),
               .hint =
                   "width is at least exponent_width + 2 (one bit is the sign), and at most "
                   "exponent_width + 23"};
}

std::vector<Attr> bias_candidates(int top_without_bias, double abs_max) {
  const int top = abs_max > 0 && std::isfinite(abs_max) ? std::ilogb(abs_max) : 0;
  std::vector<Attr> candidates;
  for (int above = 1; above >= -4; --above)
    candidates.emplace_back(std::int64_t{std::clamp(top_without_bias - (top + above), -126, 149)});
  return candidates;
}

}  // namespace chop::formats
