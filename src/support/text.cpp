#include "support/text.hpp"

#include <bit>
#include <charconv>
#include <cstdio>

#include "support/result.hpp"

namespace chop::support {
namespace {

template <class Real>
std::string shortest(Real value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <class Bits, class Real>
std::string shortest_bits(Real value) {
  const auto bits = std::bit_cast<Bits>(value);
  if (!std::isnan(value) || bits == std::bit_cast<Bits>(std::numeric_limits<Real>::quiet_NaN()))
    return shortest(value);
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), bits, 16).ptr;
  return cat("nan(0x", std::string_view(buffer.data(), end), ")");
}

/// from_chars knows no leading plus; only a number may follow one.
std::string_view without_plus(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return text;
}

template <class Real>
std::optional<Real> parse_real(std::string_view text) {
  text = without_plus(text);
  Real value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

template <class Bits, class Real>
std::optional<Real> parse_bits(std::string_view text) {
  if (text == "nan") return std::numeric_limits<Real>::quiet_NaN();
  if (!text.starts_with("nan(0x") || !text.ends_with(')')) return parse_real<Real>(text);
  text = text.substr(6, text.size() - 7);
  Bits bits = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  if (code != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  const auto value = std::bit_cast<Real>(bits);
  if (!std::isnan(value)) return {};
  return value;
}

}  // namespace

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string exact(double value) {
  return shortest(value);
}

std::string exact(float value) {
  return shortest(value);
}

std::string exact_bits(double value) {
  return shortest_bits<std::uint64_t>(value);
}

std::string exact_bits(float value) {
  return shortest_bits<std::uint32_t>(value);
}

std::string python_repr(double value) {
  if (!std::isfinite(value)) return shortest(value);
  const double size = std::abs(value);
  std::array<char, 64> buffer{};
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto form = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form).ptr;
  std::string text(buffer.data(), end);
  if (plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string with_commas(std::int64_t value) {
  std::string digits = std::to_string(value);
  if (value < 0) digits.erase(0, 1);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  if (value < 0) digits.insert(digits.begin(), '-');
  return digits;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return cat(with_commas(count), " ", noun, count == 1 ? "" : "s");
}

std::string human_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), unit == 0 ? "%.0f %s" : "%.1f %s", size,
                kUnits.at(unit));
  return buffer.data();
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  text = without_plus(text);
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

std::optional<double> parse_double(std::string_view text) {
  return parse_real<double>(text);
}

std::optional<double> parse_exact(std::string_view text) {
  return parse_bits<std::uint64_t, double>(text);
}

std::optional<float> parse_exact_float(std::string_view text) {
  return parse_bits<std::uint32_t, float>(text);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row = {i};
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row.push_back(
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)}));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);  // two letters were swapped
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last[b.size()];
}

namespace {

/// "learning", "rate" of "--learning-rate".
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '-' || name[i] == '_') continue;
    if (i == 0 || name[i - 1] == '-' || name[i - 1] == '_') words.emplace_back();
    words.back() += name[i];
  }
  return words;
}

/// "lr" and "rate" are short for "learning-rate".
bool is_short_for(std::string_view name, std::string_view candidate) {
  const std::vector<std::string> given = words_of(name);
  const std::vector<std::string> words = words_of(candidate);
  if (given.size() != 1 || words.size() < 2) return false;
  std::string initials;
  for (const std::string& word : words) initials += word[0];
  return given[0] == initials || std::find(words.begin(), words.end(), given[0]) != words.end();
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  const std::string* nearest = nullptr;
  // The dashes of a flag are all flags' own.
  const std::size_t letters = name.size() - std::min(name.find_first_not_of('-'), name.size());
  std::size_t best = std::min(letters, std::max<std::size_t>(2, letters / 3 + 1));
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    nearest = &candidate;
  }
  for (const std::string& candidate : candidates)
    if (nearest == nullptr && is_short_for(name, candidate)) nearest = &candidate;
  if (nearest == nullptr) return {};
  return *nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const auto nearest = nearest_name(name, candidates);
  return nearest ? cat("did you mean '", *nearest, "'? ") : std::string();
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace chop::support
