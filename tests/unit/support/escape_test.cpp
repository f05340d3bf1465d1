// Quoting and UTF-8: any bytes survive.
#include "support/escape.hpp"

#include <gtest/gtest.h>

#include "support/rng.hpp"

namespace chop {
namespace {

/// Text of up to 12 bytes in which control characters, broken UTF-8 and the private
/// characters of to_utf8 are common.
std::string odd_text(const Stream& stream, std::uint64_t number) {
  static const std::vector<std::string> kPieces = {"a",
                                                   "\"",
                                                   "\\",
                                                   "\n",
                                                   "é",
                                                   "\xC3",
                                                   "\xA9",
                                                   "\xF4\x8F\xBA\x80",
                                                   "\xF4\x8F\xBB\xBF",
                                                   "\xF4\x8F\xBA",
                                                   "\xF4",
                                                   "\xED\xA0\x80",
                                                   std::string(1, '\0'),
                                                   "\x7F",
                                                   "'",
                                                   "漢",
                                                   "😀"};
  std::string text;
  const std::uint64_t length = stream.below(number * 100, 12);
  for (std::uint64_t i = 1; i <= length; ++i)
    text += kPieces[stream.below(number * 100 + i, kPieces.size())];
  return text;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

TEST(Utf8, KnowsCharactersFromBrokenOnes) {
  EXPECT_EQ(utf8_length("a", 0), 1U);
  EXPECT_EQ(utf8_length("é", 0), 2U);
  EXPECT_EQ(utf8_length("漢", 0), 3U);
  EXPECT_EQ(utf8_length("😀", 0), 4U);
  for (const char* broken :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82"})
    EXPECT_EQ(utf8_length(broken, 0), 0U);
}

TEST(Utf8, AnyBytesBecomeUtf8AndComeBack) {
  EXPECT_EQ(to_utf8("plain é"), "plain é");
  const Stream stream(7, "escape");
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::string text = odd_text(stream, i);
    const std::string safe = to_utf8(text);
    ASSERT_TRUE(is_utf8(safe)) << "seed 7, text " << i;
    ASSERT_EQ(from_utf8(safe), text) << "seed 7, text " << i;
  }
}

TEST(Quoted, AnyBytesComeBack) {
  EXPECT_EQ(in_quotes("say \"é\"\n"), "\"say \\\"é\\\"\\n\"");
  EXPECT_EQ(in_quotes(std::string_view("\0\x1F\xFF", 3)), "\"\\x00\\x1f\\xff\"");
  const Stream stream(8, "escape");
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::string text = odd_text(stream, i);
    const std::string written = in_quotes(text);
    ASSERT_TRUE(is_utf8(written));
    ASSERT_EQ(unescaped(std::string_view(written).substr(1, written.size() - 2)), text)
        << "seed 8, text " << i;
  }
}

TEST(Quoted, UnknownAndBrokenEscapesAreRefused) {
  for (const char* bad : {"\\", "\\q", "\\x", "\\x1", "\\xg0", "\\u0041"})
    EXPECT_FALSE(unescaped(bad)) << bad;
  EXPECT_EQ(unescaped("\\x41"), "A");
  EXPECT_EQ(unescaped("\\x4142"), "A42");
}

TEST(PythonQuoted, PrefersSingleQuotes) {
  EXPECT_EQ(in_python_quotes("same"), "'same'");
  EXPECT_EQ(in_python_quotes("it's"), "\"it's\"");
  EXPECT_EQ(in_python_quotes("it's \"so\""), "'it\\'s \"so\"'");
  EXPECT_EQ(in_python_quotes("a\\b\n"), "'a\\\\b\\n'");
}

}  // namespace
}  // namespace chop
