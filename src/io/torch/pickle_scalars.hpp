// Decodes numbers and texts as pickles write them: a few bytes or a line of ASCII each.
#pragma once

#include "support/layers.hpp"

namespace chop::io {

/// Two's complement, lowest byte first; at most eight bytes, none is zero.
std::int64_t pickle_int(std::string_view bytes);
/// The eight bytes of BINFLOAT, highest first.
double pickle_real(std::string_view bytes);
/// 'it\'s' or "it's" with its escapes undone (STRING); nothing when it is not quoted so.
std::optional<std::string> unquoted_string(std::string_view line);
/// Latin-1 with the \u and \U escapes of Python (UNICODE), as UTF-8; nothing for invalid
/// characters.
std::optional<std::string> unescaped_unicode(std::string_view line);

}  // namespace chop::io
