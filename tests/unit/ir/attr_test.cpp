// Attribute values: their two texts, and conversions that lose nothing.
#include "ir/attr.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

TEST(Attr, HasATextThatShowsItsKind) {
  EXPECT_EQ(to_text(Attr(true)), "true");
  EXPECT_EQ(to_text(Attr(std::int64_t{-3})), "-3");
  EXPECT_EQ(to_text(Attr(2.0)), "2.0");
  EXPECT_EQ(to_text(Attr(std::string("a\"b\\c\n"))), "\"a\\\"b\\\\c\\n\"");
  EXPECT_EQ(to_text(Attr(Ints{1, -2})), "[1, -2]");
  EXPECT_EQ(to_text(Attr(std::vector<double>{0.5, 1.0})), "reals[0.5, 1.0]");
  EXPECT_EQ(to_text(Attr(Ints{})), "[]");
  EXPECT_EQ(to_text(Attr(std::vector<double>{})), "reals[]");
}

TEST(Attr, PrintsAsPython) {
  EXPECT_EQ(to_python(false), "False");
  EXPECT_EQ(to_python(1e-5), "1e-05");
  EXPECT_EQ(to_python(std::string("it's")), "\"it's\"");
  EXPECT_EQ(to_python(Ints{3}), "(3,)");
  EXPECT_EQ(to_python(Ints{3, 4}), "(3, 4)");
  EXPECT_EQ(to_python(Ints{}), "()");
}

TEST(Attr, IntegersConvertToRealsAndLists) {
  EXPECT_EQ(convert(FieldKind::Real, std::int64_t{2}).value(), Attr(2.0));
  EXPECT_EQ(convert(FieldKind::Integers, std::int64_t{3}).value(), Attr(Ints{3}));
  EXPECT_EQ(convert(FieldKind::Flag, false).value(), Attr(false));
  EXPECT_FALSE(convert(FieldKind::Integer, 2.0));
  EXPECT_EQ(convert(FieldKind::Flag, std::string("yes")).error().what,
            "\"yes\" is a text, expected true or false");
}

TEST(Attr, SameBitsDistinguishesZerosAndEquatesNans) {
  EXPECT_FALSE(same_bits(Attr(0.0), Attr(-0.0)));
  EXPECT_TRUE(same_bits(Attr(__builtin_nan("")), Attr(__builtin_nan(""))));
  EXPECT_FALSE(same_bits(Attr(1.0), Attr(std::int64_t{1})));
  EXPECT_FALSE(same_bits(Attr(std::vector<double>{1.0}), Attr(std::vector<double>{1.0, 2.0})));
  EXPECT_FALSE(same_bits(Attrs{{"a", true}}, Attrs{}));
}

}  // namespace
}  // namespace chop
