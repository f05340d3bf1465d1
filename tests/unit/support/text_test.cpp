// Text helpers: numbers that read back, Python's spelling, near names.
#include "support/text.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "support/rng.hpp"

namespace chop {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Text, JoinAndSplitAreInverse) {
  const std::vector<std::string> parts = {"a", "", "b"};
  EXPECT_EQ(join(parts, ","), "a,,b");
  EXPECT_EQ(split("a,,b", ','), parts);
  EXPECT_EQ(split("", ','), std::vector<std::string>{""});
  EXPECT_EQ(join({}, ","), "");
}

TEST(Text, CountedNounsAreSingularForOne) {
  EXPECT_EQ(counted(1, "parameter"), "1 parameter");
  EXPECT_EQ(counted(0, "parameter"), "0 parameters");
  EXPECT_EQ(counted(2000, "trial"), "2,000 trials");
}

TEST(Text, TrimRemovesBlanksOnBothSides) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, ExactIsShortAndNeverLooksLikeAnInteger) {
  EXPECT_EQ(exact(0.1), "0.1");
  EXPECT_EQ(exact(0.1F), "0.1");
  EXPECT_EQ(exact(static_cast<double>(0.1F)), "0.10000000149011612");
  EXPECT_EQ(exact(3.0), "3.0");
  EXPECT_EQ(exact(-0.0), "-0.0");
  EXPECT_EQ(exact(1e300), "1e+300");
  EXPECT_EQ(exact(kInf), "inf");
  EXPECT_EQ(exact(-kInf), "-inf");
  EXPECT_EQ(exact(std::nan("")), "nan");
}

TEST(Text, ExactNumbersReadBackToTheLastBit) {
  const Stream stream(1, "text");
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto number = __builtin_bit_cast(double, stream.bits(i));
    if (!std::isfinite(number)) continue;
    const auto back = parse_double(exact(number));
    ASSERT_TRUE(back) << exact(number);
    ASSERT_EQ(__builtin_bit_cast(std::uint64_t, *back), stream.bits(i)) << exact(number);
    const auto small = __builtin_bit_cast(float, static_cast<std::uint32_t>(stream.bits(i)));
    if (!std::isfinite(small)) continue;
    const std::string text = exact(small);
    float again = 0;
    std::from_chars(text.data(), text.data() + text.size(), again);
    ASSERT_EQ(__builtin_bit_cast(std::uint32_t, again), __builtin_bit_cast(std::uint32_t, small));
  }
}

TEST(Text, OddNansAreSpeltWithTheirBits) {
  EXPECT_EQ(exact_bits(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(exact_bits(-std::numeric_limits<double>::quiet_NaN()), "nan(0xfff8000000000000)");
  EXPECT_EQ(exact_bits(__builtin_bit_cast(float, 0x7f800001U)), "nan(0x7f800001)");
  EXPECT_EQ(exact_bits(0.5F), "0.5");
}

TEST(Text, PythonReprSpellsAsPythonDoes) {
  EXPECT_EQ(python_repr(1e-5), "1e-05");
  EXPECT_EQ(python_repr(0.0001), "0.0001");
  EXPECT_EQ(python_repr(0.01), "0.01");
  EXPECT_EQ(python_repr(1.0), "1.0");
  EXPECT_EQ(python_repr(0.0), "0.0");
  EXPECT_EQ(python_repr(-0.0), "-0.0");
  EXPECT_EQ(python_repr(123456789.0), "123456789.0");
  EXPECT_EQ(python_repr(100000.0), "100000.0");
  EXPECT_EQ(python_repr(1e15), "1000000000000000.0");
  EXPECT_EQ(python_repr(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(python_repr(1e16), "1e+16");
  EXPECT_EQ(python_repr(1.5e-7), "1.5e-07");
  EXPECT_EQ(python_repr(1e100), "1e+100");
  EXPECT_EQ(python_repr(5e-324), "5e-324");
  EXPECT_EQ(python_repr(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(python_repr(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(python_repr(kInf), "inf");
  EXPECT_EQ(python_repr(-kInf), "-inf");
  EXPECT_EQ(python_repr(std::nan("")), "nan");
}

TEST(Text, CommasEveryThreeDigits) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(-1234), "-1,234");
  EXPECT_EQ(with_commas(-123), "-123");
  EXPECT_EQ(with_commas(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Text, BytesForPeople) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(std::uint64_t{3} << 30), "3.0 GiB");
}

TEST(Text, ParsingTakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_int("-12"), -12);
  EXPECT_EQ(parse_int("+12"), 12);
  EXPECT_EQ(parse_int("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* bad :
       {"", "+", "-", "1x", " 1", "1 ", "+-1", "++1", "0x10", "1.0", "9223372036854775808"})
    EXPECT_FALSE(parse_int(bad)) << bad;
  EXPECT_EQ(parse_double("+1e3"), 1000.0);
  EXPECT_EQ(parse_double("-.5"), -0.5);
  EXPECT_EQ(parse_double("inf"), kInf);
  for (const char* bad : {"", "+", "-", "1x", "1,5", " 1", "+-1", "1e999", "--1"})
    EXPECT_FALSE(parse_double(bad)) << bad;
}

TEST(Text, NearNamesAreAFewKeystrokesAway) {
  const std::vector<std::string> ops = {"relu", "sigmoid", "linear"};
  EXPECT_EQ(edit_distance("sigmiod", "sigmoid"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
  EXPECT_EQ(nearest_name("sigmiod", ops), "sigmoid");
  EXPECT_EQ(nearest_name("rellu", ops), "relu");
  EXPECT_FALSE(nearest_name("transformer", ops));
  EXPECT_FALSE(nearest_name("x", {}));
  EXPECT_FALSE(nearest_name("mish", std::vector<std::string>{"cosh", "min"}));
  EXPECT_EQ(nearest_name("jcs", std::vector<std::string>{"mnist", "jsc"}), "jsc");
  EXPECT_EQ(did_you_mean("linaer", ops), "did you mean 'linear'? ");
  EXPECT_EQ(did_you_mean("zzz", ops), "");
}

TEST(Text, NearestNameKnowsInitialsAndSingleWords) {
  const std::vector<std::string> flags = {"--seed", "--batch-size", "--max-epochs",
                                          "--learning-rate"};
  EXPECT_EQ(nearest_name("--lr", flags), "--learning-rate");
  EXPECT_EQ(nearest_name("--bs", flags), "--batch-size");
  EXPECT_EQ(nearest_name("--epochs", flags), "--max-epochs");
  EXPECT_FALSE(nearest_name("--rows", flags));
}

TEST(Text, HashIsFnv1a) {
  EXPECT_EQ(hash_text(""), 0xcbf29ce484222325U);
  EXPECT_EQ(hash_text("a"), 0xaf63dc4c8601ec8cU);
}

}  // namespace
}  // namespace chop
