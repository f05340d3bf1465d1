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

char32_t code_point(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() == 1) return byte(0);
  char32_t value = byte(0) & (0x7fU >> bytes.size());
  for (std::size_t i = 1; i < bytes.size(); ++i) value = value << 6U | (byte(i) & 0x3fU);
  return value;
}

struct CodeRange {
  char32_t first;
  char32_t last;
};

/// Scripts and pictures whose characters take two columns: Unicode's East Asian Width W and F.
constexpr std::array<CodeRange, 12> kWide = {{{0x1100, 0x115f},
                                              {0x2e80, 0x303e},
                                              {0x3041, 0x33ff},
                                              {0x3400, 0x4dbf},
                                              {0x4e00, 0xa4cf},
                                              {0xac00, 0xd7a3},
                                              {0xf900, 0xfaff},
                                              {0xfe30, 0xfe6f},
                                              {0xff00, 0xff60},
                                              {0xffe0, 0xffe6},
                                              {0x1f300, 0x1faff},
                                              {0x20000, 0x3fffd}}};
/// Accents and joiners, which stand on the character before them.
constexpr std::array<CodeRange, 4> kWithoutWidth = {
    {{0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}}};

bool is_in(char32_t code, std::span<const CodeRange> ranges) {
  return std::ranges::any_of(
      ranges, [code](const CodeRange& range) { return code >= range.first && code <= range.last; });
}

int columns_of(std::string_view bytes) {
  if (bytes.size() == 1) return 1;
  const char32_t code = code_point(bytes);
  if (is_in(code, kWithoutWidth)) return 0;
  return is_in(code, kWide) ? 2 : 1;
}

}  // namespace

std::vector<DisplayPiece> display_pieces(std::string_view text) {
  std::vector<DisplayPiece> pieces;
  while (!text.empty()) {
    const std::size_t ansi = ansi_length(text);
    const std::size_t length = ansi > 0 ? ansi : code_point_length(text);
    const std::string_view bytes = text.substr(0, length);
    pieces.push_back({.bytes = bytes, .width = ansi > 0 ? 0 : columns_of(bytes)});
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
