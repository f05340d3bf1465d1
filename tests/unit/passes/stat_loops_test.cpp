// The vector loops of statistics against the same sums written plainly, to the last bit.
#include "analysis/statistics/stat_loops.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "analysis/statistics/extent.hpp"
#include "analysis/statistics/quantile_sketch.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

/// Every third value is a zero, some of them negative, as behind a relu.
std::vector<float> half_zeros(std::size_t count) {
  const Stream noise(1, "values");
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = i % 3 == 0 ? (i % 2 == 0 ? 0.0F : -0.0F)
                           : static_cast<float>(noise.normal(i) * std::pow(10, noise.below(i, 9)));
  return values;
}

template <class F>
double plain_sum(const float* row, std::size_t width, F f) {
  std::array<double, 8> lanes{};
  std::size_t i = 0;
  for (; i + 8 <= width; i += 8)
    for (std::size_t k = 0; k < 8; ++k) lanes[k] += f(static_cast<double>(row[i + k]));
  double rest = 0;
  for (; i < width; ++i) rest += f(static_cast<double>(row[i]));
  const double even = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6]);
  const double odd = (lanes[1] + lanes[5]) + (lanes[3] + lanes[7]);
  return even + odd + rest;
}

TEST(StatLoops, RowSumsAreThoseOfEightLanes) {
  constexpr std::size_t kRows = 5;
  for (std::size_t width = 1; width < 70; ++width) {
    const std::vector<float> x = half_zeros(kRows * width);
    std::array<double, kRows> sums{};
    std::array<double, kRows> means{};
    std::array<double, kRows> squares{};
    row_abs_sums({x.data(), kRows, width}, sums.data());
    row_moments({x.data(), kRows, width}, means.data(), squares.data());
    for (std::size_t r = 0; r < kRows; ++r) {
      const float* row = x.data() + r * width;
      EXPECT_EQ(sums[r], plain_sum(row, width, [](double v) { return std::fabs(v); }));
      const double mean =
          plain_sum(row, width, [](double v) { return v; }) / static_cast<double>(width);
      EXPECT_EQ(means[r], mean);
      EXPECT_EQ(squares[r],
                plain_sum(row, width, [mean](double v) { return (v - mean) * (v - mean); }));
    }
  }
}

TEST(StatLoops, KeysAreOrderedBitsOfAllButZeros) {
  std::vector<float> x = half_zeros(200);
  x[7] = std::numeric_limits<float>::infinity();
  x[8] = std::numeric_limits<float>::denorm_min();
  x[10] = -x[8];
  for (std::size_t count = 0; count <= x.size(); ++count) {
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < count; ++i)
      if (x[i] != 0) expected.push_back(ordered_bits(x[i]) >> 12U);
    std::vector<std::uint32_t> found(count);
    found.resize(nonzero_keys({x.data(), count}, 12, found.data()));
    EXPECT_EQ(found, expected) << count << " values";
  }
}

TEST(StatLoops, TheExtentOfManyIsThatOfEach) {
  std::vector<float> x = half_zeros(100);
  for (const bool with_nan : {false, true}) {
    if (with_nan) x[33] = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t count = 0; count <= x.size(); ++count) {
      Extent one_by_one;
      for (std::size_t i = 0; i < count; ++i) one_by_one.add(x[i]);
      Extent at_once;
      at_once.add(std::span<const float>(x.data(), count));
      EXPECT_EQ(at_once.least, one_by_one.least);
      EXPECT_EQ(at_once.most, one_by_one.most);
      EXPECT_EQ(at_once.nan, one_by_one.nan);
    }
  }
}

}  // namespace
}  // namespace chop
