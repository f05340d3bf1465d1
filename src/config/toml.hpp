// TOML as a Tree: in the order it was written, each value with its line, "NA" as nothing. The one
// place that knows the library; a command parses its file once, and everybody reads the Tree.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "support/tree.hpp"

namespace chop::config {

/// The whole text as a table; `file` is for messages. Dates and times are texts.
Result<Tree> parse_toml(std::string_view text, const std::string& file);

/// "a.b=3" words as one table: {a = {b = 3}}. A value that is not TOML is a text, and commas
/// outside brackets make a list: nodes=relu,linear.
Result<Tree> read_words(std::span<const std::string> words);

}  // namespace chop::config
