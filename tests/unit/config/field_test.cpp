#include "config/field.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace chop {
namespace {

std::string allowed(FieldKind kind, Bounds bounds = {}) {
  return describe_allowed({.name = "x", .kind = kind, .bounds = bounds});
}

TEST(Field, OneSentenceSaysWhatIsAllowed) {
  EXPECT_EQ(allowed(FieldKind::Integer), "a whole number");
  EXPECT_EQ(allowed(FieldKind::Integer, {.least = 1}), "a whole number of at least 1");
  EXPECT_EQ(allowed(FieldKind::Integer, {.least = 1, .most = 32}), "a whole number from 1 to 32");
  EXPECT_EQ(allowed(FieldKind::Integers, {.least = -1}), "whole numbers of at least -1");
  EXPECT_EQ(allowed(FieldKind::Real, {.above = 0}), "a number above 0");
  EXPECT_EQ(allowed(FieldKind::Real, {.least = 0, .below = 1}),
            "a number of at least 0 and below 1");
  EXPECT_EQ(allowed(FieldKind::Real, {.most = 1, .above = 0.5}),
            "a number above 0.5 and at most 1");
  EXPECT_EQ(allowed(FieldKind::Flag), "true or false");
  EXPECT_EQ(allowed(FieldKind::ExistingFile), "the path of a file");
  EXPECT_EQ(describe_allowed({.name = "x", .choices = {"a", "b"}}), "one of a, b");
  EXPECT_EQ(describe_allowed({.name = "x", .kind = FieldKind::Names, .choices = {"a", "b"}}),
            "a list of: a, b");
}

TEST(Field, HasTheKindOfItsDefault) {
  EXPECT_EQ(kind_of({.name = "x"}), FieldKind::Text);
  EXPECT_EQ(kind_of({.name = "x", .initial = false}), FieldKind::Flag);
  EXPECT_EQ(kind_of({.name = "x", .initial = 3}), FieldKind::Integer);
  EXPECT_EQ(kind_of({.name = "x", .initial = 0.5}), FieldKind::Real);
  EXPECT_EQ(kind_of({.name = "x", .initial = Tree::list()}), FieldKind::Integers);
  EXPECT_EQ(kind_of({.name = "x", .initial = Tree::List{1, 0.5}}), FieldKind::Reals);
  EXPECT_EQ(kind_of({.name = "x", .initial = Tree::List{"all"}}), FieldKind::Names);
  EXPECT_EQ(kind_of({.name = "x", .initial = 3, .kind = FieldKind::Real}), FieldKind::Real);
}

TEST(Field, TakesValuesWhereNothingIsLost) {
  EXPECT_EQ(conform({.name = "x", .kind = FieldKind::Real}, Tree(3)), Tree(3.0));
  EXPECT_EQ(conform({.name = "x", .kind = FieldKind::Integers}, Tree(3)), Tree(Tree::List{3}));
  EXPECT_EQ(conform({.name = "x", .kind = FieldKind::Reals}, Tree(Tree::List{1, 0.5})),
            Tree(Tree::List{1.0, 0.5}));
  EXPECT_EQ(conform({.name = "x", .choices = {"16", "32"}}, Tree(32)), Tree("32"));
  EXPECT_EQ(conform({.name = "x", .kind = FieldKind::Dims}, Tree()), Tree());
}

TEST(Field, RefusesOtherKindsOtherChoicesAndWhatIsOutOfBounds) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(conform({.name = "x", .kind = FieldKind::Integer}, Tree(0.5)));
  EXPECT_FALSE(conform({.name = "x", .kind = FieldKind::Flag}, Tree(1)));
  EXPECT_FALSE(conform({.name = "x"}, Tree(3)));
  EXPECT_FALSE(conform({.name = "x"}, Tree()));
  EXPECT_FALSE(conform({.name = "x", .choices = {"a"}}, Tree("b")));
  EXPECT_FALSE(conform({.name = "x", .kind = FieldKind::Real}, Tree(infinity)));
  EXPECT_FALSE(conform({.name = "x", .kind = FieldKind::Real}, Tree(-__builtin_nan(""))));
  EXPECT_FALSE(in_bounds({.above = 0}, 0));
  EXPECT_FALSE(in_bounds({.below = 1}, 1));
  EXPECT_TRUE(in_bounds({.least = 0, .most = 1}, 0));
  EXPECT_TRUE(in_bounds({.least = 0, .most = 1}, 1));
  EXPECT_FALSE(conform({.name = "x", .kind = FieldKind::Integers, .bounds = {.least = 0}},
                       Tree(Tree::List{1, -1})));
}

TEST(Field, HintsOfferTheNearestChoice) {
  const Field field{.name = "by", .choices = {"type", "name"}};
  EXPECT_EQ(hint_for(field, Tree("tipe")), "did you mean 'type'? by is one of type, name");
  EXPECT_EQ(hint_for(field, Tree(3)), "by is one of type, name");
}

}  // namespace
}  // namespace chop
