#include "support/escape.hpp"

namespace chop::support {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

std::string hex_escape(unsigned byte) {
  return {'\\', 'x', kHex[byte >> 4], kHex[byte & 15U]};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(unsigned byte) {
  return byte < 0x20 || byte == 0x7F;
}

/// The escape of an ASCII character, or "" when it needs none.
std::string escape_of(char c, char quote) {
  switch (c) {
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      if (c == quote) return {'\\', c};
      return is_control(static_cast<unsigned char>(c)) ? hex_escape(static_cast<unsigned char>(c))
                                                       : std::string();
  }
}

std::string escaped(std::string_view text, char quote) {
  std::string out(1, quote);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      out += hex_escape(byte_at(text, at++));
      continue;
    }
    const std::string escape = length == 1 ? escape_of(text[at], quote) : std::string();
    out += escape.empty() ? text.substr(at, length) : std::string_view(escape);
    at += length;
  }
  return out + quote;
}

/// U+10FE80 + (byte - 0x80) in UTF-8: F4 8F BA 80 to F4 8F BB BF.
std::string private_character(unsigned byte) {
  return {'\xF4', '\x8F', byte < 0xC0 ? '\xBA' : '\xBB', static_cast<char>(0x80U | (byte & 0x3FU))};
}

bool is_private_character(std::string_view text, std::size_t at) {
  return text.substr(at, 3) == "\xF4\x8F\xBA" || text.substr(at, 3) == "\xF4\x8F\xBB";
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || first > 0xF4 || text.size() - at < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_at(text, at + i) & 0xC0U) != 0x80) return 0;
  // Overlong forms, surrogates, and what is past U+10FFFF, all show in the second byte.
  const unsigned second = byte_at(text, at + 1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

std::string in_quotes(std::string_view text) {
  return escaped(text, '"');
}

std::string in_python_quotes(std::string_view text) {
  const bool single = text.find('\'') == std::string_view::npos;
  return escaped(text, single || text.find('"') != std::string_view::npos ? '\'' : '"');
}

std::optional<std::string> unescaped(std::string_view inside) {
  static constexpr std::array<std::pair<char, char>, 5> kSimple = {
      {{'"', '"'}, {'\\', '\\'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}}};
  std::string out;
  for (std::size_t at = 0; at < inside.size(); ++at) {
    if (inside[at] != '\\') {
      out += inside[at];
      continue;
    }
    if (++at == inside.size()) return {};
    if (inside[at] == 'x') {
      const int high = at + 2 < inside.size() ? hex_digit(inside[at + 1]) : -1;
      const int low = at + 2 < inside.size() ? hex_digit(inside[at + 2]) : -1;
      if (high < 0 || low < 0) return {};
      out += static_cast<char>(high * 16 + low);
      at += 2;
      continue;
    }
    bool known = false;
    for (const auto& [letter, meaning] : kSimple)
      if (inside[at] == letter) {
        out += meaning;
        known = true;
      }
    if (!known) return {};
  }
  return out;
}

std::string to_utf8(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length(bytes, at);
    if (length == 0 || is_private_character(bytes, at)) {
      out += private_character(byte_at(bytes, at++));
    } else {
      out += bytes.substr(at, length);
      at += length;
    }
  }
  return out;
}

std::string from_utf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (is_private_character(text, at) && text.size() - at >= 4) {
      const unsigned high = text[at + 2] == '\xBB' ? 0x40U : 0U;
      out += static_cast<char>(0x80U + high + (byte_at(text, at + 3) & 0x3FU));
      at += 4;
    } else {
      out += text[at++];
    }
  }
  return out;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string shown_in_message(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  std::string shown;
  for (std::size_t at = 0; at < text.size() && shown.size() < kLongest;) {
    const std::size_t length = utf8_length(text, at);
    const auto first = static_cast<unsigned char>(text[at]);
    if (length == 0 || first < 0x20 || first == 0x7F)
      shown += '?';
    else
      shown += text.substr(at, length);
    at += length == 0 ? 1 : length;
    if (shown.size() >= kLongest && at < text.size()) shown += "...";
  }
  return shown;
}

}  // namespace chop::support
