// Reading and checking the value of one setting.

#include "cli/settings/setting_def.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

/// A value as people write it on a command line.
std::string plain_text(const Tree& value) {
  if (const std::string* text = value.as_text()) return *text;
  if (const double* real = value.as_real()) return python_repr(*real);
  return value.is_null() ? "NA" : to_text(value);
}

std::string python_text(const Tree& value) {
  if (value.is_null()) return "None";
  if (const bool* flag = value.as_flag()) return *flag ? "True" : "False";
  return plain_text(value);
}

Error not_allowed(const SettingDef& def, std::string_view name, std::string_view text) {
  return {.what = cat(name, " cannot be '", text, "'"), .hint = hint_for(def.field, Tree(text))};
}

/// true, false and their usual spellings on a command line: --debug=false.
std::optional<bool> parse_truth(std::string_view text) {
  for (const std::string_view word : {"true", "True", "yes", "on", "1"})
    if (text == word) return true;
  for (const std::string_view word : {"false", "False", "no", "off", "0"})
    if (text == word) return false;
  return {};
}

}  // namespace

bool is_true_by_default(const SettingDef& def) {
  return kind_of(def.field) == FieldKind::Flag && *def.field.initial.as_flag();
}

std::vector<std::string> all_flags_of(const SettingDef& def) {
  std::vector<std::string> flags = flags_of(def);
  if (is_true_by_default(def)) flags.push_back(cat("--no-", flags.front().substr(2)));
  return flags;
}

std::vector<std::string> flags_of(const SettingDef& def) {
  if (def.positional || !def.flags.empty()) return {def.flags.begin(), def.flags.end()};
  std::string flag = cat("--", def.field.name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return {std::move(flag)};
}

bool counts_cores(const SettingDef& def) {
  return kind_of(def.field) == FieldKind::Integer && def.field.initial == Tree("auto");
}

std::string shown_default(const SettingDef& def) {
  return python_text(def.field.initial);
}

Result<SettingEntry> check_setting(const SettingDef& def, std::string_view name,
                                   const Tree& value) {
  const bool may_be_absent = def.field.initial.is_null();
  if (value.is_null() && may_be_absent) return SettingEntry{.value = {}, .shown = "None"};
  const std::optional<Tree> conformed = conform(def.field, value);
  if (!conformed || *conformed == Tree("")) return not_allowed(def, name, plain_text(value));
  return SettingEntry{.value = *conformed, .shown = python_text(value)};
}

Result<SettingEntry> read_setting(const SettingDef& def, std::string_view name,
                                  std::string_view text) {
  Tree value = text;
  if (kind_of(def.field) == FieldKind::Integer) {
    if (const auto whole = parse_int(text)) value = *whole;
  } else if (kind_of(def.field) == FieldKind::Real) {
    if (const auto real = parse_double(text)) value = *real;
  } else if (kind_of(def.field) == FieldKind::Flag) {
    if (const auto truth = parse_truth(text)) value = *truth;
  }
  Result<SettingEntry> entry = check_setting(def, name, value);
  if (!entry) return not_allowed(def, name, text);  // in the user's own spelling
  return entry;
}

}  // namespace chop::cli
