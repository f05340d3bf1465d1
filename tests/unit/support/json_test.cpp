// JSON there and back: what is kept, what is refused, how it is written.
#include "support/json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace chop {
namespace {

std::string refusal(const std::string& text) {
  const Result<Tree> tree = parse_json(text, "the text");
  return tree ? "accepted" : tree.error().what;
}

TEST(Json, WhatIsWrittenReadsBackUnchanged) {
  const std::string text =
      R"({"b":[1,-2,2.5,1e+30,true,false,null],"a":{"empty":{},"none":[],"é\n\"\\\u0001":""}})";
  const Tree tree = parse_json(text, "the text").value();
  EXPECT_EQ(to_json(tree), text);
  EXPECT_EQ(*tree["b"][0].as_integer(), 1);
  EXPECT_EQ(*tree["b"][2].as_real(), 2.5);
  EXPECT_TRUE(tree["b"][6].is_null());
  EXPECT_EQ(parse_json(to_json(tree, 2), "the text").value(), tree);
}

TEST(Json, WholeNumbersStayWholeAndRealsReal) {
  for (const char* text : {"9223372036854775807", "-9223372036854775808", "0.1", "3.0", "-0.0",
                           "1.7976931348623157e+308", "5e-324"})
    EXPECT_EQ(to_json(parse_json(text, "a number").value()), text);
}

TEST(Json, InvalidJsonIsAnError) {
  for (const char* text : {"", "{", "[1,]", "nul", "NaN", "{\"a\":1}{}", "1e999", "'a'", "\"\n\""})
    EXPECT_EQ(refusal(text), "the text is not valid JSON") << text;
  EXPECT_EQ(refusal("\"\xFF\""), "the text is not valid JSON") << "no UTF-8";
  EXPECT_EQ(refusal("{\"\xC3\":1}"), "the text is not valid JSON") << "no UTF-8";
}

TEST(Json, DuplicateKeysAreAnError) {
  EXPECT_EQ(refusal(R"({"a":1,"b":2,"a":3})"), "the text: the key \"a\" stands in it twice");
  EXPECT_EQ(refusal(R"([{"a":{"b":1,"b":1}}])"), "the text: the key \"b\" stands in it twice");
  EXPECT_EQ(refusal(R"({"a":{"a":1},"b":{"a":1}})"), "accepted");
}

TEST(Json, NestingBeyondTheLimitIsAnError) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(refusal(nested(kDeepestJson)), "accepted");
  EXPECT_EQ(refusal(nested(kDeepestJson + 1)), "the text: it is nested more than 200 levels deep");
  EXPECT_EQ(refusal(std::string(1'000'000, '[')),
            "the text: it is nested more than 200 levels deep");
}

TEST(Json, IntegersBeyond64BitsAreAnError) {
  EXPECT_EQ(refusal("[9223372036854775808]"), "the text: 9223372036854775808 does not fit 64 bits");
  EXPECT_EQ(refusal("18446744073709551615"), "the text: 18446744073709551615 does not fit 64 bits");
}

TEST(Json, NumbersThatAreNotFiniteAreNull) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tree::List numbers = {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 1.0};
  EXPECT_EQ(to_json(numbers), "[null,null,null,1.0]");
}

TEST(Json, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(to_json("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(to_json(Tree::Table{{"\xC3", "\xC3\xA9"}}), "{\"\xEF\xBF\xBD\":\"\xC3\xA9\"}");
}

TEST(Json, IsIndentedWhenAskedFor) {
  const Tree tree = Tree::Table{{"list", Tree::List{1, "two"}},
                                {"none", Tree::list()},
                                {"table", Tree::Table{{"deep", Tree()}}},
                                {"empty", Tree::table()}};
  EXPECT_EQ(to_json(tree, 2), R"({
  "list": [
    1,
    "two"
  ],
  "none": [],
  "table": {
    "deep": null
  },
  "empty": {}
})");
  EXPECT_EQ(to_json(Tree::List{1}, 0), "[\n1\n]");
  EXPECT_EQ(to_json(Tree::table(), 2), "{}");
  EXPECT_EQ(to_json(Tree(), 2), "null");
}

}  // namespace
}  // namespace chop
