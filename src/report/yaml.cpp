// Flat YAML: one "name: value" line per entry.
#include "report/tensorboard.hpp"
#include "support/text.hpp"

namespace chop::report {
namespace {

/// Words YAML 1.1 reads as truth values or as nothing.
constexpr std::array<std::string_view, 9> kReserved = {"null", "~",  "true", "false", "yes",
                                                       "no",   "on", "off",  ""};

bool is_plain(std::string_view text) {
  const std::string lower = lower_case(text);
  for (const std::string_view word : kReserved)
    if (lower == word) return false;
  // A plain text starts with a letter or a slash (so it is no number, date or sign) and
  // holds nothing YAML gives a meaning to.
  const char first = lower[0];
  if (!(first >= 'a' && first <= 'z') && first != '/') return false;
  for (const char c : lower) {
    const bool safe = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                      c == '.' || c == '/' || c == '+';
    if (!safe) return false;
  }
  return true;
}

std::string in_yaml_quotes(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append("\\").append(1, c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// YAML's own reals need a point and a signed exponent: 1.0e-05.
std::string real_text(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  std::string text = python_repr(value);
  const std::size_t e = text.find('e');
  if (e != std::string::npos && text.find('.') == std::string::npos) text.insert(e, ".0");
  return text;
}

std::string yaml_value(const Cell& cell) {
  if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&cell.value)) return real_text(*real);
  if (const auto* text = std::get_if<std::string>(&cell.value))
    return is_plain(*text) ? *text : in_yaml_quotes(*text);
  return "null";
}

}  // namespace

std::string to_yaml(std::span<const std::pair<std::string, Cell>> entries) {
  std::string yaml;
  for (const auto& [name, cell] : entries)
    yaml.append(is_plain(name) ? name : in_yaml_quotes(name))
        .append(": ")
        .append(yaml_value(cell)) += '\n';
  return yaml;
}

}  // namespace chop::report
