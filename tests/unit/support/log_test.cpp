#include "support/system/log.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>

namespace chop {
namespace {

/// Each test gets the log in its first state and leaves it so.
class Log : public testing::Test {
 protected:
  void TearDown() override {
    clear_log_sink();
    set_log_level(LogLevel::Info);
    set_log_warnings(true);
    mark_unfinished_line(false);
  }
  std::ostringstream out_;
};

TEST_F(Log, PadsTheLevelToEightColumns) {
  set_log_sink(out_);
  set_log_level(LogLevel::Debug);
  log_debug("a");
  log_info("Training model 'jsc-tiny'...");
  log_warning("b");
  log_error("c");
  log_line(LogLevel::Critical, "d");
  EXPECT_EQ(out_.str(),
            "DEBUG    a\n"
            "INFO     Training model 'jsc-tiny'...\n"
            "WARNING  b\n"
            "ERROR    c\n"
            "CRITICAL d\n");
}

TEST_F(Log, IsSilentWithoutASink) {
  log_error("nobody hears this");
  set_log_sink(out_);
  clear_log_sink();
  log_error("nor this");
  EXPECT_EQ(out_.str(), "");
}

TEST_F(Log, DropsLinesBelowItsLevel) {
  set_log_sink(out_);
  log_debug("dropped");
  set_log_level(LogLevel::Error);
  log_warning("dropped");
  log_error("kept");
  EXPECT_EQ(out_.str(), "ERROR    kept\n");
}

TEST_F(Log, CanLeaveOutWarningsAlone) {
  set_log_sink(out_);
  set_log_warnings(false);
  log_warning("dropped");
  log_info("kept");
  log_error("kept");
  EXPECT_EQ(out_.str(), "INFO     kept\nERROR    kept\n");
}

TEST_F(Log, BracesAndPercentSignsAreOnlyText) {
  set_log_sink(out_);
  log_info("100 %s {} {0}");
  EXPECT_EQ(out_.str(), "INFO     100 %s {} {0}\n");
}

TEST_F(Log, ColoursLevelAndMessageWhenAsked) {
  EXPECT_EQ(format_log_line(LogLevel::Info, "done", true),
            "\x1b[32mINFO    \x1b[0m \x1b[34mdone\x1b[0m");
  EXPECT_EQ(format_log_line(LogLevel::Warning, "x", true),
            "\x1b[33mWARNING \x1b[0m \x1b[34mx\x1b[0m");
  set_log_sink(out_, Colour::Always);
  log_error("x");
  EXPECT_EQ(out_.str(), "\x1b[31mERROR   \x1b[0m \x1b[34mx\x1b[0m\n");
}

TEST_F(Log, AStreamThatIsNoTerminalGetsNoColour) {
  set_log_sink(out_, Colour::Auto);
  log_info("x");
  EXPECT_EQ(out_.str(), "INFO     x\n");
}

TEST_F(Log, WipesAnUnfinishedLineOnce) {
  set_log_sink(out_);
  mark_unfinished_line(true);
  log_info("a");
  log_info("b");
  EXPECT_EQ(out_.str(), "\r\x1b[2KINFO     a\nINFO     b\n");
}

TEST_F(Log, LinesOfManyThreadsStayWhole) {
  set_log_sink(out_);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) log_info("abcdefghij");
    });
  for (std::thread& thread : threads) thread.join();
  std::istringstream lines(out_.str());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_EQ(line, "INFO     abcdefghij");
  EXPECT_EQ(count, 800);
}

TEST_F(Log, KnowsItsLevelsByName) {
  const std::vector<std::string_view> names = log_level_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(parse_log_level(names[i]), static_cast<LogLevel>(i)) << names[i];
  EXPECT_EQ(parse_log_level("warning"), LogLevel::Warning);
  EXPECT_EQ(parse_log_level("Warning"), std::nullopt);
  EXPECT_EQ(parse_log_level(""), std::nullopt);
}

}  // namespace
}  // namespace chop
