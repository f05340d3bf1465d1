#include "config/toml.hpp"

#include <gtest/gtest.h>

#include "support/text.hpp"

namespace chop {
namespace {

constexpr const char* kText = R"(
[passes.report_graph]
[passes.quantize]
by = "type"
[passes.quantize.linear.config]
width = 8
frac_width = "NA"
[passes.quantize.default.config]
name = "NA"
[passes.add_common_metadata]
list = [1, 2.5, "a"]
)";

TEST(Toml, KeepsTheOrderOfTheFileWithLinesAndNothingForNA) {
  const Tree tree = parse_toml(kText, "my.toml").value()["passes"];
  EXPECT_EQ(to_text(tree),
            "{ report_graph = {}, quantize = { by = \"type\", linear = { config = { width = 8, "
            "frac_width = \"NA\" } }, default = { config = { name = \"NA\" } } }, "
            "add_common_metadata = { list = [1, 2.5, \"a\"] } }");
  EXPECT_EQ(tree.find("quantize")->find("by")->line, 4);
  EXPECT_EQ(tree.find("report_graph")->line, 2);
  EXPECT_TRUE(tree.find("quantize")->find("default")->find("config")->find("name")->is_null());
  EXPECT_EQ(parse_toml("", "f").value(), Tree::table());
}

TEST(Toml, DatesAreTextsAndTablesStandWhereTheirFirstKeyDoes) {
  const Tree tree = parse_toml("day = 1979-05-27\n\na.b.c = 1\nd = 07:32:00", "my.toml").value();
  EXPECT_EQ(tree["day"], Tree("1979-05-27"));
  EXPECT_EQ(tree["d"], Tree("07:32:00"));
  EXPECT_EQ(tree["a"].line, 3);
}

TEST(Toml, WhatIsNotTomlIsAnErrorWithLineAndColumn) {
  const Error error = parse_toml("a = 1\nb = [", "my.toml").error();
  EXPECT_TRUE(error.what.starts_with("'my.toml' is not valid TOML: ")) << error.what;
  EXPECT_EQ(error.notes, std::vector<std::string>{"my.toml:2:6"});
}

TEST(Toml, NamesAndNestingBeyondTheLimitsAreRefusedBeforeParsing) {
  const auto refusal = [](const std::string& text) {
    const Result<Tree> tree = parse_toml(text, "my.toml");
    return tree ? "read" : tree.error().what;
  };
  std::string dotted = "a";
  for (int i = 0; i < 40'000; ++i) dotted += " . a";
  const std::string long_name(10'000'000, 'k');
  EXPECT_EQ(refusal(dotted + " = 1"), "'my.toml' is refused: it has a key of more than 100 parts");
  EXPECT_EQ(refusal("[" + dotted + "]"), refusal(dotted + " = 1"));
  EXPECT_EQ(refusal("x = { " + dotted + " = 1 }"), refusal(dotted + " = 1"));
  EXPECT_EQ(refusal(long_name + " = 1"),
            "'my.toml' is refused: it has a name of more than 4096 characters");
  EXPECT_EQ(refusal("model = \"" + long_name + "\""),
            "'my.toml' is refused: it has a text of more than 4096 characters");
  EXPECT_EQ(refusal("x = " + std::string(300, '[') + std::string(300, ']')),
            "'my.toml' is not valid TOML: arrays and tables nested more than 256 deep");
  EXPECT_EQ(parse_toml("a = 1\n" + long_name, "f").error().notes, std::vector<std::string>{"f:2"});
}

TEST(Toml, DotsAndQuotesInTextsAndCommentsAreNotCounted) {
  const std::string dots(200, '.');
  const std::string reals = join(std::vector<std::string>(200, "1.5"), ", ");
  const std::string three = "\"\"\"";
  for (const std::string& text :
       {"# \"" + dots + "\na = 1", "a = \"\\\"" + dots + "\"", "a = '" + dots + "'",
        "a = " + three + "\n" + dots + "\n" + three, "a = [" + reals + "]"})
    EXPECT_TRUE(parse_toml(text, "my.toml")) << text;
}

TEST(Toml, AHundredThousandKeysAreReadInOneGo) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += cat("[passes.quantize.k", i, "]\nx = 1\n");
  const Result<Tree> tree = parse_toml(text, "my.toml");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree.value()["passes"]["quantize"].size(), 100'000U);
}

TEST(Toml, WordsAreTypedAsPeopleTypeThem) {
  EXPECT_EQ(read_word("8"), Tree(8));
  EXPECT_EQ(read_word("1e-3"), Tree(1e-3));
  EXPECT_EQ(read_word("True"), Tree(true));
  EXPECT_EQ(read_word("false"), Tree(false));
  EXPECT_EQ(read_word("1,16"), Tree(Tree::List{1, 16}));
  EXPECT_EQ(read_word("[1, 16]"), Tree(Tree::List{1, 16}));
  EXPECT_EQ(read_word("top"), Tree("top"));
  EXPECT_TRUE(read_word("NA").is_null());
}

TEST(Toml, WordsMakeNestedTables) {
  const std::vector<std::string> words = {
      "by=type",           "n=3",      "a.b.dims=all", "a.b.abs=true",
      "nodes=relu,linear", "q=[1, 2]", "none=NA",      "s=\"3\""};
  EXPECT_EQ(to_text(read_words(words).value()),
            "{ by = \"type\", n = 3, a = { b = { dims = \"all\", abs = true } }, nodes = "
            "[\"relu\", \"linear\"], q = [1, 2], none = \"NA\", s = \"3\" }");
  const std::vector<std::string> clash = {"a=1", "a.b=2"};
  EXPECT_EQ(read_words(clash).error().what, "'a.b=2': a already has a value");
}

}  // namespace
}  // namespace chop
