// Keys of a quantisation table: the operand they are for, the format they belong to.
#pragma once

#include "config/args.hpp"
#include "formats/format_def.hpp"

namespace chop::search {

/// "weight" of "weight_width"; "" when the key is for all operands.
std::string_view group_of(std::string_view key);
/// "width" of "weight_width".
std::string_view without_group(std::string_view key);
/// Whether the key names a format: name, weight_name ...
bool is_format_key(std::string_view key);
/// The definition of a key in the format of that name; null when there is none, or the format is
/// "NA".
const Field* key_of_format(const Tree& format, std::string_view key);
/// Whether the choices of a key apply to the format of that name: it has the key, and accepts
/// several values or exactly these (the width of ternary is always 2).
bool takes_choices(const Tree& format, std::string_view key, const std::vector<Tree>& choices);
/// True for format keys, bypass, and keys whose choices the format that `config` chose for their
/// operand (for some operand, where they are for all) takes.
bool fits_formats(const Tree& config, std::string_view key, const std::vector<Tree>& choices);

}  // namespace chop::search
