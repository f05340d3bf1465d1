// TOML as a Tree: in the order it was written, each value with its line, "NA" as nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "support/tree.hpp"

namespace chop::cli {

/// The table `name` of a TOML text, or an empty one; `file` is for messages.
Result<Tree> read_table(std::string_view text, const std::string& file, std::string_view name);

/// "a.b=3" words as one table: {a = {b = 3}}. A value that is not TOML is a text, and commas
/// outside brackets make a list: nodes=relu,linear.
Result<Tree> read_words(std::span<const std::string> words);

}  // namespace chop::cli
