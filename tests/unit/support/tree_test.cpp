#include "support/tree.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

TEST(Tree, TablesKeepTheirOrderAndAnEntryItsPlace) {
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
  EXPECT_EQ(to_text(Tree::integers({1, 2})), "[1, 2]");
  EXPECT_EQ(to_text(Tree::texts({"relu"})), "[\"relu\"]");
  EXPECT_EQ(to_text(Tree::table()), "{}");
}

TEST(Tree, EqualValuesAreEqualWhereverTheyStand) {
  Tree a = 3;
  Tree b = 3;
  b.line = 7;
  EXPECT_EQ(a, b);
  EXPECT_FALSE(Tree(3) == Tree(3.0));
}

}  // namespace
}  // namespace chop
