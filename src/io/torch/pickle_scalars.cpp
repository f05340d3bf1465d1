#include "io/torch/pickle_scalars.hpp"

#include <bit>
#include <charconv>

namespace chop::io {
namespace {

/// The number that `digits` hexadecimal digits of `text` spell from `at` on.
std::optional<std::uint32_t> hexadecimal(std::string_view text, std::size_t at,
                                         std::size_t digits) {
  if (at > text.size() || text.size() - at < digits) return std::nullopt;
  std::uint32_t value = 0;
  const char* const end = text.data() + at + digits;
  const auto read = std::from_chars(text.data() + at, end, value, 16);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

/// False for surrogates and beyond U+10FFFF.
bool append_utf8(std::string& out, std::uint32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80 | (code >> shift & 0x3F));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return true;
}

/// The byte that the escape after a backslash at `at` means; `at` moves to its end.
std::optional<char> escaped_byte(std::string_view text, std::size_t& at) {
  switch (text[at]) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '\\':
    case '\'':
    case '"':
      return text[at];
    case 'x':
      if (const auto value = hexadecimal(text, at + 1, 2)) {
        at += 2;
        return static_cast<char>(*value);
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::int64_t pickle_int(std::string_view bytes) {
  assert(bytes.size() <= 8 && "larger numbers stay bytes");
  if (bytes.empty()) return 0;
  std::uint64_t value = (static_cast<unsigned char>(bytes.back()) & 0x80) != 0 ? ~0ULL : 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<std::int64_t>(value);
}

double pickle_real(std::string_view bytes) {
  assert(bytes.size() == 8 && "a double has eight bytes");
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return std::bit_cast<double>(value);
}

std::optional<std::string> unquoted_string(std::string_view line) {
  if (line.size() < 2 || (line.front() != '\'' && line.front() != '"') ||
      line.back() != line.front())
    return std::nullopt;
  const std::string_view inside = line.substr(1, line.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\') {
      text += inside[i];
      continue;
    }
    if (++i == inside.size()) return std::nullopt;
    const std::optional<char> byte = escaped_byte(inside, i);
    if (!byte) return std::nullopt;
    text += *byte;
  }
  return text;
}

std::optional<std::string> unescaped_unicode(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::optional<std::uint32_t> code = static_cast<unsigned char>(line[i]);
    if (line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == 'u' || line[i + 1] == 'U')) {
      const std::size_t digits = line[i + 1] == 'u' ? 4 : 8;
      code = hexadecimal(line, i + 2, digits);
      i += 1 + digits;
    }
    if (!code || !append_utf8(text, *code)) return std::nullopt;
  }
  return text;
}

}  // namespace chop::io
