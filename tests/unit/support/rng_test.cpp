// Random streams: values that must never change, and the look of randomness.
#include "support/rng.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace chop {
namespace {

// Computed by a separate implementation in Python; saved checkpoints depend on them.
TEST(Stream, ValuesNeverChange) {
  const Stream init(0, "init");
  EXPECT_EQ(init.bits(0), 0x65dedab84b67af2U);
  EXPECT_EQ(init.bits(1), 0xf3691a6c19475873U);
  EXPECT_EQ(init.bits(std::uint64_t{1} << 63), 0x9b1878abb12bc658U);
  const Stream shuffle(42, "shuffle", 7);
  EXPECT_EQ(shuffle.bits(0), 0xb9ce1421be304dc6U);
  EXPECT_EQ(shuffle.bits(1), 0xd36470b027088b79U);
  EXPECT_EQ(init.uniform(0), 0.024870733618365948);
  EXPECT_DOUBLE_EQ(init.normal(0), 2.5893833194505613);
  EXPECT_DOUBLE_EQ(init.normal(1), -0.826571879454647);
  EXPECT_EQ(init.below(5, 10), 2U);
}

TEST(Stream, SeedPurposeAndStepKeepStreamsApart) {
  const std::uint64_t first = Stream(0, "init").bits(0);
  EXPECT_NE(first, Stream(1, "init").bits(0));
  EXPECT_NE(first, Stream(0, "shuffle").bits(0));
  EXPECT_NE(first, Stream(0, "init", 1).bits(0));
  EXPECT_EQ(first, Stream(0, "init").bits(0));
}

TEST(Stream, TheUnitIntervalIsOpenAtBothEnds) {
  EXPECT_GT(unit_interval(0), 0.0);
  EXPECT_LT(unit_interval(std::numeric_limits<std::uint64_t>::max()), 1.0);
  EXPECT_EQ(unit_interval(0), 0x1p-54);
  EXPECT_EQ(unit_interval(std::uint64_t{1} << 63), 0.5);
}

TEST(Stream, UniformNumbersFillTheirBinsEvenly) {
  constexpr int kDraws = 100000;
  constexpr std::size_t kBins = 100;
  const Stream stream(3, "uniformity");
  std::array<int, kBins> bins{};
  double sum = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double value = stream.uniform(i);
    ASSERT_GT(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
    ++bins.at(static_cast<std::size_t>(value * kBins));
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
  double chi2 = 0;
  for (const int count : bins) chi2 += std::pow(count - 1000.0, 2) / 1000.0;
  EXPECT_LT(chi2, 150);  // 99 degrees of freedom: one seed in 1500 would exceed this
  EXPECT_GT(chi2, 55);
}

TEST(Stream, NormalNumbersHaveTheMomentsOfANormal) {
  constexpr int kDraws = 200000;
  const Stream stream(4, "normality");
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double value = stream.normal(i);
    sum += value;
    squares += value * value;
    fourth += value * value * value * value;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.015);
  EXPECT_NEAR(fourth / kDraws, 3.0, 0.1);
}

TEST(Stream, BelowReachesEveryNumberAndNoOther) {
  const Stream stream(5, "below");
  std::array<int, 7> seen{};
  for (std::uint64_t i = 0; i < 7000; ++i) ++seen.at(stream.below(i, 7));
  for (const int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(stream.below(0, 1), 0U);
}

}  // namespace
}  // namespace chop
