// Sums over rows beside the loop that their comment describes, to the bit: any shape, any share,
// and values that cancel, overflow or are none.
#include "runtime/column_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/noise.hpp"

namespace chop {
namespace {

using runtime::column_sums;
using runtime::Share;

std::vector<float> expected(const std::vector<float>& x, std::int64_t rows, std::int64_t columns) {
  std::vector<float> sums;
  for (std::int64_t j = 0; j < columns; ++j) {
    float total = 0;
    for (std::int64_t first = 0; first < rows; first += 128) {
      float part[4] = {};
      for (std::int64_t row = first; row < std::min<std::int64_t>(rows, first + 128); ++row)
        part[row % 4] += x[static_cast<std::size_t>(row * columns + j)];
      const float block = (part[0] + part[1]) + (part[2] + part[3]);
      total = first == 0 ? block : total + block;
    }
    sums.push_back(total);
  }
  return sums;
}

void expect_same(const std::vector<float>& want, const std::vector<float>& got, const char* what) {
  for (std::size_t j = 0; j < want.size(); ++j)
    if (std::isnan(want[j]))
      EXPECT_TRUE(std::isnan(got[j])) << what << " of " << want.size() << " columns, at " << j;
    else
      EXPECT_EQ(std::memcmp(&want[j], &got[j], sizeof(float)), 0)
          << what << " of " << want.size() << " columns, at " << j << ": " << want[j] << " and "
          << got[j];
}

TEST(ColumnSums, OfEveryShapeHaveTheBitsOfFourPartialSums) {
  for (const std::int64_t rows : {0, 1, 2, 3, 4, 5, 7, 255, 256})
    for (const std::int64_t columns : {1, 4, 5, 8, 15, 16, 17, 32, 33, 48, 64, 100, 130}) {
      const std::vector<float> x = test::noise(rows * columns, "x");
      std::vector<float> sums(static_cast<std::size_t>(columns), 7.0F);
      column_sums(x.data(), rows, columns, {0, columns}, sums.data());
      expect_same(expected(x, rows, columns), sums, "all");
    }
}

TEST(ColumnSums, OfAShareLeaveTheOtherColumnsAlone) {
  const std::int64_t columns = 100;
  const std::vector<float> x = test::noise(9 * columns, "x");
  const std::vector<float> whole = expected(x, 9, columns);
  for (const Share share :
       {Share{0, 16}, Share{16, 48}, Share{48, 100}, Share{96, 100}, Share{32, 32}}) {
    std::vector<float> want(static_cast<std::size_t>(columns), 7.0F);
    std::copy(whole.begin() + share.begin, whole.begin() + share.end, want.begin() + share.begin);
    std::vector<float> sums(want.size(), 7.0F);
    column_sums(x.data(), 9, columns, share, sums.data());
    expect_same(want, sums, "a share");
  }
}

TEST(ColumnSums, OfNastyValuesAreWhatAdditionMakesOfThem) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> nasty = {0.0F,   -0.0F, inf,   -inf, std::nanf(""), 3e38F, -3e38F,
                                    1e-38F, 1.0F,  -1.0F, 1e8F, 0.1F,          -0.0F};
  for (const std::int64_t columns : {5, 13, 37}) {
    std::vector<float> x;
    for (std::size_t i = 0; i < static_cast<std::size_t>(columns * 6); ++i)
      x.push_back(nasty[i * 7 % nasty.size()]);
    std::vector<float> sums(static_cast<std::size_t>(columns));
    column_sums(x.data(), 6, columns, {0, columns}, sums.data());
    expect_same(expected(x, 6, columns), sums, "nasty ones");
  }
}

}  // namespace
}  // namespace chop
