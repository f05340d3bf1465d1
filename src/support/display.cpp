#include "support/display.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace chop::support {
namespace {

/// Bytes of the ANSI sequence at the start of `text`, or 0 when there is none.
std::size_t ansi_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  for (std::size_t i = 2; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x40 && c <= 0x7e) return i + 1;
    if (c < 0x20 || c > 0x3f) return 0;
  }
  return 0;
}

/// Bytes of the code point at the start of `text`; 1 for a stray byte.
std::size_t code_point_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t length = 1;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  return length;
}

}  // namespace

std::vector<DisplayPiece> display_pieces(std::string_view text) {
  std::vector<DisplayPiece> pieces;
  while (!text.empty()) {
    const std::size_t ansi = ansi_length(text);
    const std::size_t length = ansi > 0 ? ansi : code_point_length(text);
    pieces.push_back({.bytes = text.substr(0, length), .width = ansi > 0 ? 0 : 1});
    text.remove_prefix(length);
  }
  return pieces;
}

int display_width(std::string_view text) {
  int width = 0;
  for (const DisplayPiece& piece : display_pieces(text)) width += piece.width;
  return width;
}

std::string clip_to_width(std::string_view text, int width) {
  std::string clipped;
  for (const DisplayPiece& piece : display_pieces(text)) {
    if (piece.width > width) continue;
    width -= piece.width;
    clipped += piece.bytes;
  }
  return clipped;
}

bool is_terminal(std::FILE* file) {
  return file != nullptr && ::isatty(::fileno(file)) == 1;
}

bool is_terminal(const std::ostream& stream) {
  if (&stream == &std::cout) return is_terminal(stdout);
  if (&stream == &std::cerr || &stream == &std::clog) return is_terminal(stderr);
  return false;
}

bool wants_colour(const std::ostream& stream) {
  const char* refused = std::getenv("NO_COLOR");
  return is_terminal(stream) && (refused == nullptr || *refused == '\0');
}

int terminal_width(std::FILE* file) {
  winsize size = {};
  if (file == nullptr || ::ioctl(::fileno(file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return size.ws_col;
}

}  // namespace chop::support
