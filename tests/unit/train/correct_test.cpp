#include "train/correct.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/rng.hpp"
#include "train/program.hpp"

namespace chop {
namespace {

TEST(CountCorrect, IsWhatArgmaxSaysRowByRow) {
  const Stream die(1, "logits");
  std::uint64_t n = 0;
  for (const std::int64_t classes : {1, 2, 5, 10, 65})
    for (const std::size_t rows : {0U, 1U, 15U, 16U, 33U, 256U}) {
      std::vector<float> logits(rows * static_cast<std::size_t>(classes));
      // Few different values, so that many are equal; some infinite, some NaN.
      for (float& x : logits) {
        const std::uint64_t value = die.below(n++, 9);
        x = value == 8   ? std::numeric_limits<float>::quiet_NaN()
            : value == 7 ? std::numeric_limits<float>::infinity()
                         : static_cast<float>(value) - 3;
      }
      std::vector<std::int64_t> targets(rows);
      std::int64_t expected = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        targets[row] =
            static_cast<std::int64_t>(die.below(n++, static_cast<std::uint64_t>(classes)));
        const auto width = static_cast<std::size_t>(classes);
        if (argmax(std::span(logits).subspan(row * width, width)) == targets[row]) ++expected;
      }
      EXPECT_EQ(count_correct(logits, classes, targets), expected) << classes << " " << rows;
    }
}

}  // namespace
}  // namespace chop
