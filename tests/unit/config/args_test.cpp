#include "config/args.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

const std::vector<Field> kDefs = {
    {.name = "by", .required = true, .choices = {"type", "name"}},
    {.name = "num_samples", .initial = 32, .bounds = {.least = 1}},
    {.name = "quantile", .initial = 0.975, .bounds = {.above = 0, .below = 1}},
    {.name = "which", .initial = Tree::List{"all"}, .choices = {"all", "common"}},
    {.name = "abs", .initial = false},
    {.name = "save_path"},
    {.name = "stats", .kind = FieldKind::Table}};

Tree table(std::initializer_list<std::pair<const char*, Tree>> entries) {
  Tree tree = Tree::table();
  for (const auto& [key, value] : entries) tree.set(key, value);
  return tree;
}

Error mistake(const Tree& given, bool open = false) {
  const Result<Args> args =
      Args::check(kDefs, given, {.path = "passes.p", .file = "my.toml"}, open);
  EXPECT_FALSE(args);
  return args ? Error{} : args.error();
}

TEST(Args, HaveTheirDefaultsUntilTheyAreGiven) {
  const Args args =
      Args::check(kDefs, table({{"by", "type"}, {"quantile", 1e-3}}), {"passes.p"}).value();
  EXPECT_EQ(args.text("by"), "type");
  EXPECT_EQ(args.integer("num_samples"), 32);
  EXPECT_EQ(args.real("quantile"), 1e-3);
  EXPECT_EQ(args.names("which"), std::vector<std::string>{"all"});
  EXPECT_FALSE(args.flag("abs"));
  EXPECT_FALSE(args.has("save_path"));
  EXPECT_EQ(args.text_or_empty("save_path"), "");
}

TEST(Args, TakeAnIntegerForARealAndATextForAListOfNames) {
  std::vector<Field> defs = {{.name = "x", .kind = FieldKind::Real},
                             {.name = "n", .kind = FieldKind::Names}};
  const Args args = Args::check(defs, table({{"x", 3}, {"n", "relu"}}), {"p"}).value();
  EXPECT_EQ(args.real("x"), 3.0);
  EXPECT_EQ(args.names("n"), std::vector<std::string>{"relu"});
}

TEST(Args, WhatIsNotAvailableCountsAsAbsent) {
  const Args args =
      Args::check(kDefs, table({{"by", "name"}, {"num_samples", Tree()}}), {"p"}).value();
  EXPECT_EQ(args.integer("num_samples"), 32);
}

TEST(Args, MistakesNameTheArgumentThePlaceAndWhatIsAllowed) {
  Tree zero = 0;
  zero.line = 5;
  const Error error = mistake(table({{"by", "type"}, {"num_samples", zero}}));
  EXPECT_EQ(error.what, "passes.p.num_samples = 0 is not allowed");
  EXPECT_EQ(error.hint, "num_samples is a whole number of at least 1");
  EXPECT_EQ(error.notes, std::vector<std::string>{"my.toml:5"});
  EXPECT_EQ(mistake(table({{"by", "type"}, {"quantile", 1.5}})).hint,
            "quantile is a number above 0 and below 1");
  EXPECT_EQ(mistake(table({{"by", "type"}, {"which", "foo"}})).what,
            "passes.p.which = \"foo\" is not allowed");
  EXPECT_EQ(mistake(table({{"by", "type"}, {"which", "foo"}})).hint,
            "which is a list of: all, common");
  EXPECT_EQ(mistake(table({{"by", "kind"}})).hint, "by is one of type, name");
  EXPECT_EQ(mistake(table({{"by", "type"}, {"abs", 1}})).hint, "abs is true or false");
  EXPECT_EQ(mistake(table({{"by", "type"}, {"quantil", 0.5}})).what,
            "unknown argument 'passes.p.quantil'");
  EXPECT_NE(mistake(table({{"by", "type"}, {"quantil", 0.5}})).hint.find("did you mean 'quantile'"),
            std::string::npos);
  EXPECT_EQ(mistake(Tree::table()).what, "passes.p needs the argument 'by'");
  EXPECT_EQ(mistake(Tree(3)).what, "passes.p must be a table, not a whole number");
  EXPECT_EQ(mistake(table({{"by", "type"}, {"quantile", __builtin_nan("")}})).hint,
            "quantile is a number above 0 and below 1");
}

TEST(Args, OpenPassesKeepOtherTablesInTheirOrderButNotOtherValues) {
  const Tree given = table({{"linear", Tree::table()}, {"by", "type"}, {"conv2d", Tree::table()}});
  const Args args = Args::check(kDefs, given, {"p"}, /*open=*/true).value();
  ASSERT_EQ(args.others().size(), 2U);
  EXPECT_EQ(args.others()[0].first, "linear");
  EXPECT_EQ(mistake(given).what, "unknown argument 'passes.p.linear'");
  EXPECT_EQ(mistake(table({{"by", "type"}, {"linear", 3}}), true).what,
            "unknown argument 'passes.p.linear'");
}

}  // namespace
}  // namespace chop
