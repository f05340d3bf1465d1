#include "support/system/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <mutex>
#include <ostream>

#include "support/display.hpp"
#include "support/terminal_text.hpp"

namespace chop::support {
namespace {

struct LevelInfo {
  std::string_view name;    ///< as a setting
  std::string_view padded;  ///< as printed
  std::string_view colour;  ///< ANSI code
  spdlog::level::level_enum level;
};

constexpr std::array<LevelInfo, 5> kLevels = {{
    {"debug", "DEBUG   ", "36", spdlog::level::debug},
    {"info", "INFO    ", "32", spdlog::level::info},
    {"warning", "WARNING ", "33", spdlog::level::warn},
    {"error", "ERROR   ", "31", spdlog::level::err},
    {"critical", "CRITICAL", "1;31", spdlog::level::critical},
}};

const LevelInfo& info_of(LogLevel level) {
  return kLevels.at(static_cast<std::size_t>(level));
}

LogLevel from_spdlog(spdlog::level::level_enum level) {
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    if (kLevels.at(i).level == level) return static_cast<LogLevel>(i);
  return LogLevel::Debug;
}

/// Writes our line format to a stream that can be exchanged while other threads log.
class StreamSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void redirect(std::ostream* out, bool colour) {
    const std::lock_guard<std::mutex> lock(mutex_);
    out_ = out;
    colour_ = colour;
    unfinished_ = false;
  }
  void mark_unfinished(bool unfinished) { unfinished_ = unfinished; }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (out_ == nullptr) return;
    if (unfinished_.exchange(false)) write_exact(*out_, "\r\x1b[2K");
    std::string line =
        format_log_line(from_spdlog(message.level),
                        std::string_view(message.payload.data(), message.payload.size()), colour_);
    line += '\n';
    *out_ << line << std::flush;
  }
  void flush_() override {}

 private:
  std::ostream* out_ = nullptr;
  bool colour_ = false;
  std::atomic<bool> unfinished_ = false;
};

struct Log {
  std::shared_ptr<StreamSink> sink = std::make_shared<StreamSink>();
  spdlog::logger logger{"chop", sink};
  std::atomic<bool> warnings = true;
};

Log& the_log() {
  static Log log;
  return log;
}

}  // namespace

std::string format_log_line(LogLevel level, std::string_view message, bool colour) {
  const LevelInfo& info = info_of(level);
  std::string line;
  if (colour) line.append("\x1b[").append(info.colour).append("m");
  line += info.padded;
  line += colour ? "\x1b[0m \x1b[34m" : " ";
  line += for_terminal(message);
  if (colour) line += "\x1b[0m";
  return line;
}

void log_line(LogLevel level, std::string_view message) {
  Log& log = the_log();
  if (level == LogLevel::Warning && !log.warnings) return;
  log.logger.log(info_of(level).level, spdlog::string_view_t(message.data(), message.size()));
}

void log_debug(std::string_view message) {
  log_line(LogLevel::Debug, message);
}

void log_info(std::string_view message) {
  log_line(LogLevel::Info, message);
}

void log_warning(std::string_view message) {
  log_line(LogLevel::Warning, message);
}

void log_error(std::string_view message) {
  log_line(LogLevel::Error, message);
}

void set_log_level(LogLevel level) {
  the_log().logger.set_level(info_of(level).level);
}

void set_log_warnings(bool shown) {
  the_log().warnings = shown;
}

void set_log_sink(std::ostream& out, Colour colour) {
  const bool coloured = colour == Colour::Always || (colour == Colour::Auto && wants_colour(out));
  the_log().sink->redirect(&out, coloured);
}

void clear_log_sink() {
  the_log().sink->redirect(nullptr, false);
}

void mark_unfinished_line(bool unfinished) {
  the_log().sink->mark_unfinished(unfinished);
}

std::vector<std::string_view> log_level_names() {
  std::vector<std::string_view> names;
  for (const LevelInfo& each : kLevels) names.push_back(each.name);
  return names;
}

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    if (kLevels.at(i).name == name) return static_cast<LogLevel>(i);
  return {};
}

}  // namespace chop::support
