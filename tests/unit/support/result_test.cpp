// Results: a value or an error, and how errors look.
#include "support/result.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace chop {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{.what = cat(number, " is odd"), .hint = "give an even number"};
  return number / 2;
}

Result<int> quarter(int number) {
  CH_TRY(const int once, half(number));
  CH_TRY(const int twice, half(once));
  return twice;
}

Status check(int number) {
  CH_CHECK([&]() -> Status {
    if (number < 0) return Error{.what = "negative"};
    return {};
  }());
  return {};
}

TEST(Result, TryBindsTheValueOrReturnsTheError) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error().what, "3 is odd");
}

TEST(Result, CheckReturnsTheErrorIfThereIsOne) {
  EXPECT_TRUE(check(1));
  EXPECT_EQ(check(-1).error().what, "negative");
}

TEST(Result, HoldsWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> moved = std::move(result).value();
  EXPECT_EQ(*moved, 5);
}

TEST(Error, PrintsFactNotesAndHintInThatOrder) {
  const Error error = std::move(half(3)).error().note("line 7").note("in 'file'");
  EXPECT_EQ(to_string(error),
            "error: 3 is odd\n  note: line 7\n  note: in 'file'\n  hint: give an even number\n");
  EXPECT_EQ(to_string(Error{.what = "short"}), "error: short\n");
}

}  // namespace
}  // namespace chop
