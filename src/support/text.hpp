// Small things about text: joining, splitting, numbers that read back exactly, near names.
#pragma once

#include "support/layers.hpp"

namespace chop::support {

std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// The letters A to Z as small ones; other bytes stay as they are.
std::string lower_case(std::string_view text);

/// The shortest decimal that reads back as the same number; whole numbers keep ".0", so
/// that the text of a real number never looks like an integer. inf, -inf and nan as such.
std::string exact(double value);
/// As exact(), but the shortest decimal that identifies the number among floats.
std::string exact(float value);
/// As exact(), with every NaN but the usual one spelt with its bits: nan(0x7ff8000000000001).
std::string exact_bits(double value);
std::string exact_bits(float value);
/// A number as Python's repr prints it: 1e-05, 0.01, 1.0.
std::string python_repr(double value);
/// 1234567 as "1,234,567".
std::string with_commas(std::int64_t value);
/// "1 trial", "2,000 trials".
std::string counted(std::int64_t count, std::string_view noun);
/// 1536 as "1.5 KiB".
std::string human_bytes(std::uint64_t bytes);

/// The whole of `text` as a number, or nothing.
std::optional<std::int64_t> parse_int(std::string_view text);
std::optional<double> parse_double(std::string_view text);
/// The inverse of exact_bits(): every NaN keeps its bits.
std::optional<double> parse_exact(std::string_view text);
/// The nearest float, rounded once.
std::optional<float> parse_exact_float(std::string_view text);

/// Levenshtein distance; small strings only.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// The candidate nearest to `name`, when one is near enough to be a slip of the keyboard.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates);
/// "did you mean 'relu'? " or an empty string: the usual start of a hint.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// Stable across machines and releases: keys of the random number generator depend on it.
std::uint64_t hash_text(std::string_view text);

}  // namespace chop::support
