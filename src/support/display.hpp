// How wide a text is on a terminal: UTF-8 counts by code point, ANSI codes count nothing.
#pragma once

#include <cstdio>
#include <iosfwd>

#include "support/layers.hpp"

namespace chop::support {

/// The units of `text` on a terminal: a code point (width 1) or an ANSI sequence "ESC [ ... letter"
/// (width 0). Broken UTF-8 gives one unit per stray byte.
struct DisplayPiece {
  std::string_view bytes;
  int width = 1;
};
std::vector<DisplayPiece> display_pieces(std::string_view text);

int display_width(std::string_view text);
/// The start of `text` that fits in `width` columns; ANSI codes after the cut are kept, so
/// that a colour switched on is switched off.
std::string clip_to_width(std::string_view text, int width);

/// True when `file` is a terminal.
bool is_terminal(std::FILE* file);
/// True when `stream` is std::cout, std::cerr or std::clog and that is a terminal.
bool is_terminal(const std::ostream& stream);
/// Colours are wanted on a terminal unless NO_COLOR is set (https://no-color.org).
bool wants_colour(const std::ostream& stream);
/// Columns of the terminal behind `file`; 80 when it does not say.
int terminal_width(std::FILE* file);

}  // namespace chop::support
