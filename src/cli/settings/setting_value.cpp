// Reading and checking the value of one setting.
#include <cmath>

#include "cli/settings/setting_def.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

std::string number_text(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : python_repr(value);
}

Error not_allowed(const SettingDef& def, std::string_view name, std::string_view text) {
  Error error{.what = cat(name, " cannot be '", text, "'"),
              .hint = cat(def.dest, " is ", describe_allowed(def))};
  if (def.choices.empty()) return error;
  const std::vector<std::string> names(def.choices.begin(), def.choices.end());
  error.hint = cat(did_you_mean(text, names), error.hint);
  return error;
}

bool in_bounds(const Bounds& bounds, double value) {
  return std::isfinite(value) && (!bounds.least || value >= *bounds.least) &&
         (!bounds.above || value > *bounds.above) && (!bounds.below || value < *bounds.below);
}

bool is_choice(const SettingDef& def, std::string_view text) {
  if (def.choices.empty()) return true;
  for (const std::string_view choice : def.choices)
    if (choice == text) return true;
  return false;
}

/// true, false and their usual spellings on a command line: --debug=false.
std::optional<bool> parse_truth(std::string_view text) {
  for (const std::string_view word : {"true", "True", "yes", "on", "1"})
    if (text == word) return true;
  for (const std::string_view word : {"false", "False", "no", "off", "0"})
    if (text == word) return false;
  return {};
}

/// What a value of the wrong type is called in an error.
std::string shown_raw(const SettingValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return python_repr(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "NA";
}

std::string_view kind_text(SettingKind kind) {
  switch (kind) {
    case SettingKind::Int:
      return "a whole number";
    case SettingKind::Real:
      return "a number";
    case SettingKind::Flag:
      return "true or false";
    case SettingKind::ExistingFile:
      return "the path of a file";
    case SettingKind::ExistingPath:
      return "the path of a file or a folder";
    case SettingKind::Path:
      return "a path";
    case SettingKind::Text:
      break;
  }
  return "a text";
}

}  // namespace

std::string describe_allowed(const SettingDef& def) {
  if (!def.choices.empty()) {
    const std::vector<std::string> names(def.choices.begin(), def.choices.end());
    return cat("one of ", join(names, ", "));
  }
  std::string text(kind_text(def.kind));
  const Bounds& bounds = def.bounds;
  if (bounds.least) text += cat(" of at least ", number_text(*bounds.least));
  if (bounds.above) text += cat(" above ", number_text(*bounds.above));
  if (bounds.below) text += cat(" and below ", number_text(*bounds.below));
  return text;
}

Result<SettingEntry> check_setting(const SettingDef& def, std::string_view name,
                                   const SettingValue& value) {
  const std::string raw = shown_raw(value);
  if (value.index() == 0) {
    if (def.initial) return not_allowed(def, name, "NA");
    return SettingEntry{.value = {}, .shown = "None"};
  }
  switch (def.kind) {
    case SettingKind::Flag:
      if (const auto* truth = std::get_if<bool>(&value))
        return SettingEntry{.value = *truth, .shown = *truth ? "True" : "False"};
      break;
    case SettingKind::Int:
      if (const auto* whole = std::get_if<std::int64_t>(&value))
        if (in_bounds(def.bounds, static_cast<double>(*whole)))
          return SettingEntry{.value = *whole, .shown = raw};
      break;
    case SettingKind::Real: {
      const auto* whole = std::get_if<std::int64_t>(&value);
      const auto* real = std::get_if<double>(&value);
      if (whole == nullptr && real == nullptr) break;
      const double number = whole != nullptr ? static_cast<double>(*whole) : *real;
      if (in_bounds(def.bounds, number)) return SettingEntry{.value = number, .shown = raw};
      break;
    }
    default:
      // Choices such as 32 may be written as a number.
      if (value.index() != 4 && (value.index() != 2 || def.choices.empty())) break;
      if (!raw.empty() && is_choice(def, raw)) return SettingEntry{.value = raw, .shown = raw};
  }
  return not_allowed(def, name, raw);
}

Result<SettingEntry> read_setting(const SettingDef& def, std::string_view name,
                                  std::string_view text) {
  SettingValue value = std::string(text);
  if (def.kind == SettingKind::Int) {
    if (const auto whole = parse_int(text)) value = *whole;
  } else if (def.kind == SettingKind::Real) {
    if (const auto real = parse_double(text)) value = *real;
  } else if (def.kind == SettingKind::Flag) {
    if (const auto truth = parse_truth(text)) value = *truth;
  }
  Result<SettingEntry> entry = check_setting(def, name, value);
  if (!entry) return not_allowed(def, name, text);  // in the user's own spelling
  return entry;
}

}  // namespace chop::cli
