#include "support/tree.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

TEST(Tree, ReplacingAnEntryKeepsTheOrderOfTheTable) {
  Tree tree;
  tree.set("b", 1);
  tree.set("a", "text");
  tree.set("b", 2.5);
  EXPECT_EQ(to_text(tree), "{ b = 2.5, a = \"text\" }");
  EXPECT_EQ(tree.find("c"), nullptr);
  EXPECT_EQ(Tree(3).find("a"), nullptr);
}

TEST(Tree, IsWrittenAsTomlWritesIt) {
  EXPECT_EQ(to_text(Tree()), "\"NA\"");
  EXPECT_EQ(to_text(Tree(true)), "true");
  EXPECT_EQ(to_text(Tree(2.0)), "2.0");
  EXPECT_EQ(to_text(Tree::List{1, 2}), "[1, 2]");
  EXPECT_EQ(to_text(Tree::List{"relu"}), "[\"relu\"]");
  EXPECT_EQ(to_text(Tree::table()), "{}");
}

TEST(Tree, ConvertsFromOrdinaryValues) {
  EXPECT_EQ(to_text(Tree(std::vector<std::string>{"a", "b"})), "[\"a\", \"b\"]");
  EXPECT_EQ(to_text(Tree(std::map<std::string, double>{{"b", 1}, {"a", 2}})),
            "{ a = 2.0, b = 1.0 }");
  EXPECT_EQ(Tree(std::optional<double>()), Tree());
  EXPECT_EQ(Tree(std::optional<double>(2)), Tree(2.0));
  EXPECT_EQ(Tree(1.5F), Tree(1.5));
  EXPECT_EQ(Tree(std::size_t{3}), Tree(3));
  const Tree one = Tree::Table{{"node", "fc1"}, {"macs", 1024}};
  EXPECT_EQ(to_text(one), "{ node = \"fc1\", macs = 1024 }");
}

TEST(Tree, IndexingAddsMissingEntries) {
  Tree tree;
  tree["a"]["b"].push(1);
  tree["a"]["b"].push("two");
  EXPECT_EQ(to_text(tree), "{ a = { b = [1, \"two\"] } }");
  EXPECT_EQ(tree["a"]["b"][1], Tree("two"));
  EXPECT_TRUE(tree.contains("a"));
  const Tree& same = tree;
  EXPECT_TRUE(same["c"]["d"].is_null());
  EXPECT_FALSE(same.contains("c"));
}

TEST(Tree, KindsAreDistinguished) {
  EXPECT_TRUE(Tree("a").is_text());
  EXPECT_TRUE(Tree::list().is_list());
  EXPECT_TRUE(Tree::table().is_table());
  EXPECT_TRUE(Tree(1).is_number() && Tree(1.5).is_number());
  EXPECT_FALSE(Tree(true).is_number() || Tree("1").is_number() || Tree().is_number());
  EXPECT_EQ(Tree(2).number(), 2.0);
  EXPECT_EQ(Tree("2").number(), 0.0);
  EXPECT_EQ(Tree(Tree::List{1, 2}).size(), 2U);
  EXPECT_EQ(Tree(Tree::Table{{"a", 1}}).size(), 1U);
  EXPECT_EQ(Tree("text").size(), 0U);
}

TEST(Tree, EqualityIgnoresLines) {
  Tree a = 3;
  Tree b = 3;
  b.line = 7;
  EXPECT_EQ(a, b);
  EXPECT_FALSE(Tree(3) == Tree(3.0));
}

}  // namespace
}  // namespace chop
