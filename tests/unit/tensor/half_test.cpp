// Half precision and bfloat16 over all their codes, and where rounding is delicate.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/tensor.hpp"

namespace chop {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

/// The value of a half, from its definition and nothing else.
double half_by_definition(std::uint32_t code) {
  const double sign = (code & 0x8000U) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>((code >> 10) & 31U);
  const double fraction = (code & 1023U) / 1024.0;
  if (exponent == 0) return sign * std::pow(2.0, -14) * fraction;
  return sign * std::pow(2.0, exponent - 15) * (1 + fraction);
}

bool is_half_nan(std::uint32_t code) {
  return (code & 0x7C00U) == 0x7C00U && (code & 0x3FFU) != 0;
}

TEST(Half, EveryCodeHasItsDefinedValueAndComesBack) {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const auto half = static_cast<std::uint16_t>(code);
    const float value = half_to_float(half);
    if (is_half_nan(code)) {
      EXPECT_TRUE(std::isnan(value)) << code;
      EXPECT_EQ(float_to_half(value), code | 0x200U) << "quietened, payload and sign kept";
      continue;
    }
    if ((code & 0x7FFFU) == 0x7C00U)
      EXPECT_EQ(value, (code & 0x8000U) != 0 ? -kInf : kInf);
    else
      ASSERT_EQ(static_cast<double>(value), half_by_definition(code)) << code;
    EXPECT_EQ(std::signbit(value), (code & 0x8000U) != 0) << code;
    ASSERT_EQ(float_to_half(value), half) << code;
  }
}

TEST(Half, BetweenNeighboursTheNearestWinsAndTiesGoToEven) {
  for (std::uint32_t code = 0; code < 0x7C00; ++code) {
    const auto low = static_cast<std::uint16_t>(code);
    const float below = half_to_float(low);
    // Past the largest half the next step would be 65536.
    const float above =
        code == 0x7BFF ? 65536.0F : half_to_float(static_cast<std::uint16_t>(code + 1));
    const float middle = (below + above) / 2;  // exact: a float has 13 bits more
    const auto high = static_cast<std::uint16_t>(code + 1);
    const std::uint16_t even = (code & 1U) == 0 ? low : high;
    ASSERT_EQ(float_to_half(middle), even) << code;
    ASSERT_EQ(float_to_half(std::nextafter(middle, 0.0F)), low) << code;
    ASSERT_EQ(float_to_half(std::nextafter(middle, kInf)), high) << code;
    ASSERT_EQ(float_to_half(-middle), even | 0x8000U) << code;
  }
}

TEST(Half, ZerosInfinitiesAndHugeNumbers) {
  EXPECT_EQ(float_to_half(0.0F), 0x0000);
  EXPECT_EQ(float_to_half(-0.0F), 0x8000);
  EXPECT_EQ(float_to_half(kInf), 0x7C00);
  EXPECT_EQ(float_to_half(-kInf), 0xFC00);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()), 0x7C00);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::denorm_min()), 0x0000);
  EXPECT_EQ(float_to_half(65504.0F), 0x7BFF);
}

TEST(Bfloat, EveryCodeIsTheTopOfAFloatAndComesBack) {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const auto bfloat = static_cast<std::uint16_t>(code);
    const float value = bfloat_to_float(bfloat);
    EXPECT_EQ(__builtin_bit_cast(std::uint32_t, value), code << 16);
    if (std::isnan(value))
      EXPECT_EQ(float_to_bfloat(value), code | 0x40U) << "quietened, payload and sign kept";
    else
      ASSERT_EQ(float_to_bfloat(value), bfloat) << code;
  }
}

TEST(Bfloat, BetweenNeighboursTheNearestWinsAndTiesGoToEven) {
  for (std::uint32_t code = 0; code < 0x7F80; ++code) {
    const auto low = static_cast<std::uint16_t>(code);
    const auto high = static_cast<std::uint16_t>(code + 1);
    const auto middle = __builtin_bit_cast(float, (code << 16) | 0x8000U);
    const std::uint16_t even = (code & 1U) == 0 ? low : high;
    ASSERT_EQ(float_to_bfloat(middle), even) << code;
    ASSERT_EQ(float_to_bfloat(std::nextafter(middle, 0.0F)), low) << code;
    ASSERT_EQ(float_to_bfloat(std::nextafter(middle, kInf)), high) << code;
  }
  EXPECT_EQ(float_to_bfloat(std::numeric_limits<float>::max()), 0x7F80);
}

TEST(Half, DoublesAreRoundedOnce) {
  // Through the nearest float, 1 + 2^-11 + 2^-40 would become a tie and then 1.
  const double above_tie = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(Tensor::scalar(above_tie, DType::F16).at(0), 1 + 0x1p-10);
  EXPECT_EQ(Tensor::scalar(-above_tie, DType::F64).to(DType::F16).at(0), -1 - 0x1p-10);
  EXPECT_EQ(Tensor::scalar(1 + 0x1p-10 + 0x1p-11 - 0x1p-40, DType::F16).at(0), 1 + 0x1p-10);
  EXPECT_EQ(Tensor::scalar(1 + 0x1p-8 + 0x1p-40, DType::BF16).at(0), 1 + 0x1p-7);
  EXPECT_EQ(Tensor::scalar(0x1p-25 + 0x1p-60, DType::F16).at(0), 0x1p-24);
  EXPECT_EQ(Tensor::scalar(0x1p-25, DType::F16).at(0), 0.0);
  EXPECT_EQ(Tensor::scalar(1e300, DType::F16).at(0), static_cast<double>(kInf));
}

}  // namespace
}  // namespace chop
