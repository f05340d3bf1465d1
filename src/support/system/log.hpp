// The log: one line per event, "INFO     message".
//
// The library only ever adds lines; until the program installs a sink they go nowhere.
// All functions may be called from any thread.
#pragma once

#include <iosfwd>

#include "support/layers.hpp"

namespace chop::support {

enum class LogLevel { Debug, Info, Warning, Error, Critical };
enum class Colour { Auto, Always, Never };

void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_error(std::string_view message);
void log_line(LogLevel level, std::string_view message);

/// Lines below `level` are dropped; Info at the start.
void set_log_level(LogLevel level);
/// False silences lines of level Warning and no others.
void set_log_warnings(bool shown);
/// Lines go to `out`, which must outlive the log or the next call; each is flushed.
void set_log_sink(std::ostream& out, Colour colour = Colour::Auto);
void clear_log_sink();

/// Whether the sink's terminal shows an unfinished line (a progress bar): the next log line erases
/// it first.
void mark_unfinished_line(bool unfinished);

/// debug, info, warning, error, critical: from the least important on.
std::vector<std::string_view> log_level_names();
std::optional<LogLevel> parse_log_level(std::string_view name);
/// The text of one line, without its end.
std::string format_log_line(LogLevel level, std::string_view message, bool colour);

}  // namespace chop::support
