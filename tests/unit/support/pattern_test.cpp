#include "support/pattern.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

TEST(Pattern, TheWholeTextMustMatch) {
  const Pattern pattern = Pattern::compile("seq_blocks_[0-9]+").value();
  EXPECT_TRUE(pattern.matches("seq_blocks_12"));
  EXPECT_FALSE(pattern.matches("seq_blocks_12a"));
  EXPECT_FALSE(pattern.matches("a seq_blocks_12"));
  EXPECT_FALSE(pattern.matches(""));
  EXPECT_TRUE(Pattern::compile("").value().matches(""));
}

TEST(Pattern, InvalidPatternsAreAnError) {
  for (const char* text : {"(", "[a", "*", "a{2"}) {
    const Result<Pattern> pattern = Pattern::compile(text);
    ASSERT_FALSE(pattern) << text;
    EXPECT_TRUE(pattern.error().what.starts_with("not a regular expression: ")) << text;
  }
}

}  // namespace
}  // namespace chop
