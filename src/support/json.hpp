// JSON as text, to and from Trees. The library behind it is included by json.cpp alone, because it
// takes seconds to compile.
#pragma once

#include "support/tree.hpp"

namespace chop::support {

/// Deeper nesting is refused.
constexpr int kDeepestJson = 200;

/// A JSON text as a Tree, in time linear in its length; null is nothing. An error says that `what`
/// is not valid JSON, names a key twice, is nested too deeply, or has a whole number that does not
/// fit 64 bits.
Result<Tree> parse_json(std::string_view text, std::string_view what);

/// On one line, or indented by `indent` spaces a level when that is not negative. Numbers that are
/// not finite are null. Bytes that are not UTF-8 become U+FFFD.
std::string to_json(const Tree& tree, int indent = -1);

}  // namespace chop::support
