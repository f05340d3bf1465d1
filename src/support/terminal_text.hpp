// Text that may hold anything, such as names from files, on its way to a terminal. Control
// characters could move the cursor, rename the window or hide what was printed; characters that
// turn the direction of writing could make one text look like another.
#pragma once

#include <ostream>
#include <streambuf>

#include "support/layers.hpp"

namespace chop::support {

enum class OwnColours : std::uint8_t { No, Yes };

/// \xHH for every byte of control characters other than newline and tab, of C1 codes, of characters
/// that change the direction of writing, and for bytes that are not UTF-8. With `colours` the
/// sequences stay that switch our own colours on and off.
std::string for_terminal(std::string_view text, OwnColours colours = OwnColours::No);
/// The same for JSON, whose strings say the same with \uHHHH.
std::string json_for_terminal(std::string_view json);

/// While one exists, everything written to `out` passes for_terminal().
class TerminalFilter : public std::streambuf {
 public:
  TerminalFilter(std::ostream& out, OwnColours colours);
  TerminalFilter(const TerminalFilter&) = delete;
  TerminalFilter& operator=(const TerminalFilter&) = delete;
  ~TerminalFilter() override;

  /// As it is.
  bool write_exact(std::string_view text);

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  enum class Rest : std::uint8_t { Waits, Goes };
  /// The beginning of a character, or of a sequence, at the end may wait for what follows.
  bool drain(Rest rest);

  std::ostream& out_;
  std::streambuf* to_;
  OwnColours colours_;
  std::string pending_;
};

/// Past a filter: for data that programs read, and for what the program itself tells a terminal.
void write_exact(std::ostream& out, std::string_view text);

}  // namespace chop::support
