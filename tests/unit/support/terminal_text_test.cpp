#include "support/terminal_text.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "support/escape.hpp"
#include "support/json.hpp"
#include "support/system/log.hpp"

namespace chop {
namespace {

using support::for_terminal;
using support::json_for_terminal;
using support::OwnColours;
using support::TerminalFilter;
using support::write_exact;

TEST(ForTerminal, PlainTextStays) {
  for (const char* text :
       {"", "a b\n\tc", "gr\xC3\xBC\xC3\x9F", "\xE2\x96\x88\xE2\x96\x8F", "\\x1b"})
    EXPECT_EQ(for_terminal(text), text);
}

TEST(ForTerminal, WhatSteersATerminalIsSpeltOut) {
  EXPECT_EQ(for_terminal("\x1b]0;TITLE\x07"), "\\x1b]0;TITLE\\x07");
  EXPECT_EQ(for_terminal("a\rb\x7f\x08"), "a\\x0db\\x7f\\x08");
  EXPECT_EQ(for_terminal(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(for_terminal("\xC2\x9B"
                         "2J"),
            "\\xc2\\x9b2J");  // CSI as a C1 code
  EXPECT_EQ(for_terminal("\x9B"
                         "2J"),
            "\\x9b2J");  // and as one byte
  EXPECT_EQ(for_terminal("\xE2\x80\xAE"
                         "cba"),
            "\\xe2\\x80\\xaecba");  // right to left from here
  EXPECT_EQ(for_terminal("\xE2\x81\xA6"), "\\xe2\\x81\\xa6");
  EXPECT_EQ(for_terminal("\xFF\xC3"), "\\xff\\xc3");
}

TEST(ForTerminal, OnlyOurColoursPassAndOnlyWhenAsked) {
  EXPECT_EQ(for_terminal("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(for_terminal("\x1b[31mred\x1b[0m", OwnColours::Yes), "\x1b[31mred\x1b[0m");
  EXPECT_EQ(for_terminal("\x1b[8mhidden", OwnColours::Yes), "\\x1b[8mhidden");
  EXPECT_EQ(for_terminal("\x1b[2J", OwnColours::Yes), "\\x1b[2J");
}

TEST(ForTerminal, JsonMeansTheSameAfterwards) {
  const std::string text = "\x7f \xC2\x9B \xE2\x80\xAE \x1b";
  const std::string json = json_for_terminal(support::to_json(Tree(text), 0));
  EXPECT_EQ(for_terminal(json), json);
  EXPECT_EQ(*support::parse_json(json, "it").value().as_text(), text);
}

TEST(TerminalFilter, EverythingWrittenPassesIt) {
  std::ostringstream out;
  {
    TerminalFilter filter(out, OwnColours::No);
    out << "a\x1b[2J" << 'b' << '\x07' << std::flush;
    EXPECT_EQ(static_cast<std::ostream&>(out).rdbuf(), static_cast<std::streambuf*>(&filter));
  }
  EXPECT_EQ(out.str(), "a\\x1b[2Jb\\x07");
}

TEST(TerminalFilter, CharactersMayComeInPieces) {
  const std::string text = "\xE2\x96\x88\x1b[31mx\x1b[0m\x1b[38;5;8m\x1b[2J\xE2";
  std::ostringstream out;
  {
    TerminalFilter filter(out, OwnColours::Yes);
    for (const char c : text) out << c << std::flush;
  }
  EXPECT_EQ(out.str(), "\xE2\x96\x88\x1b[31mx\x1b[0m\x1b[38;5;8m\\x1b[2J\\xe2");
}

TEST(TerminalFilter, DataPassesItAsItIs) {
  std::ostringstream out;
  {
    TerminalFilter filter(out, OwnColours::No);
    out << "\x07";
    write_exact(out, "\x1b[2J");
    out << "\x07";
  }
  EXPECT_EQ(out.str(), "\\x07\x1b[2J\\x07");
  write_exact(out, "\x07");
  EXPECT_EQ(out.str(), "\\x07\x1b[2J\\x07\x07");
}

TEST(ForTerminal, NamesInLogLinesCannotSteerATerminal) {
  EXPECT_EQ(support::format_log_line(support::LogLevel::Info, "model '\x1b[2J'", false),
            "INFO     model '\\x1b[2J'");
}

}  // namespace
}  // namespace chop
