#include "config/toml.hpp"

#include <gtest/gtest.h>

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
