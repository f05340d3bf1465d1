// Where PyTorch's float32 logarithm rounds to a whole number or to a half, the fast loops,
// which read exponents from bits, must decide as it does: every binade, neighbour by neighbour.
#include "unit/formats/format_helpers.hpp"

namespace chop {
namespace {

/// 200 floats on either side of 2^k and of √2 · 2^k.
std::vector<float> neighbours(int k) {
  std::vector<float> values;
  for (const double centre : {1.0, std::sqrt(2.0)}) {
    const std::uint32_t bits = bits_of_float(static_cast<float>(std::ldexp(centre, k)));
    for (std::uint32_t i = 0; i < 400; ++i) {
      const float x = __builtin_bit_cast(float, bits + i - 200);
      values.push_back(x);
      values.push_back(-x);
    }
  }
  return values;
}

Attr whole(std::int64_t n) {
  return n;
}

TEST(FormatLogarithms, RoundAsFloat32LogarithmsDoInEveryBinade) {
  const std::vector<NumberFormat> formats = {
      {"minifloat_denorm", {{"width", whole(12)}, {"exponent_width", whole(8)}}},
      {"minifloat_denorm", {{"width", whole(31)}, {"exponent_width", whole(8)}}},
      {"minifloat_ieee", {{"width", whole(12)}, {"exponent_width", whole(8)}}},
      {"minifloat_ieee", {{"width", whole(30)}, {"exponent_width", whole(8)}}},
      {"log", {{"width", whole(9)}}},
      {"log", {{"width", whole(9)}, {"exponent_bias", whole(149)}}}};
  for (const NumberFormat& format : formats)
    for (int k = -126; k <= 127; ++k) quantised(format, neighbours(k));
}

TEST(FormatLogarithms, AreThoseOfPyTorchJustBesideAPowerOfTwo) {
  // log2(128 (1 + 2^-23)) rounds to 7, log2(128 (1 + 2 · 2^-23)) does not.
  const float p = 128.0F;
  const float one = std::nextafter(p, 1e9F);
  const float two = std::nextafter(one, 1e9F);
  const NumberFormat denorm{"minifloat_denorm",
                            {{"width", whole(8)}, {"exponent_width", whole(4)}}};
  EXPECT_EQ(quantised(denorm, {one, two}), (std::vector<float>{112.0F, 128.0F}));
}

}  // namespace
}  // namespace chop
