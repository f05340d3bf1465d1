// Text that may hold any bytes, written where only some are allowed: quoted strings of our
// text form, and JSON, which must be UTF-8.
#pragma once

#include "support/layers.hpp"

namespace chop::support {

/// Length of the UTF-8 character that starts at `at`, 0 where none does.
std::size_t utf8_length(std::string_view text, std::size_t at);
bool is_utf8(std::string_view text);

/// A text from a file, made safe for messages and terminals: at most about 100 bytes,
/// with ? for control characters and for bytes that are not UTF-8.
std::string shown_in_message(std::string_view text);

/// In double quotes, with \" \\ \n \r \t, and \xHH for other control characters and for
/// bytes that are not UTF-8.
std::string in_quotes(std::string_view text);
/// The text between the quotes with its escapes undone; nothing when one is unknown.
std::optional<std::string> unescaped(std::string_view inside);

/// As Python prints a str: in single quotes unless that means escaping one.
std::string in_python_quotes(std::string_view text);

/// The same text as valid UTF-8: bytes that are not travel as the private characters
/// U+10FE80 to U+10FEFF (and those characters, should they occur, byte by byte).
std::string to_utf8(std::string_view bytes);
/// The inverse of to_utf8.
std::string from_utf8(std::string_view text);

}  // namespace chop::support
