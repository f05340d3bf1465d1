// TOML as a Tree: in the order it was written, each value with its line, "NA" as nothing. Only
// toml.cpp includes the TOML library. A command parses its file once; all readers use the Tree.
#pragma once

#include "support/tree.hpp"

namespace chop::config {

/// The whole text as a table; `file` is for messages. Dates and times are texts.
Result<Tree> parse_toml(std::string_view text, const std::string& file);

/// A value as people type it: TOML, True or False; commas outside brackets make a list; anything
/// else is a text.
Tree read_word(const std::string& text);
/// "a.b=3" words as one table: {a = {b = 3}}, nodes=relu,linear.
Result<Tree> read_words(std::span<const std::string> words);

}  // namespace chop::config
