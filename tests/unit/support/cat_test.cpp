#include "support/cat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace chop {
namespace {

TEST(Cat, JoinsTextsOfEveryKind) {
  const std::string name = "fc1";
  EXPECT_EQ(cat("node '", name, "' ", std::string_view("of two"), '!'), "node 'fc1' of two!");
  EXPECT_EQ(cat(), "");
  EXPECT_EQ(cat("", std::string(), std::string_view()), "");
  EXPECT_EQ(cat(std::string("a\0b", 3)).size(), 3U);
}

TEST(Cat, PrintsWholeNumbersOfEveryWidth) {
  EXPECT_EQ(cat(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(cat(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(cat(std::int16_t{-7}, ' ', 7U, ' ', true, false), "-7 7 10");
}

TEST(Cat, PrintsSixDigitsOfRealNumbers) {
  EXPECT_EQ(cat(0.1F, ' ', 1.0 / 3, ' ', 1e-300, ' ', -1234567.0),
            "0.1 0.333333 1e-300 -1.23457e+06");
  EXPECT_EQ(cat(-std::numeric_limits<double>::max()), "-1.79769e+308");
  EXPECT_EQ(cat(-std::numeric_limits<double>::infinity(), ' ', std::nan("")), "-inf nan");
}

}  // namespace
}  // namespace chop
