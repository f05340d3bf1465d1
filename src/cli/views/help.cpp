#include "cli/views/help.hpp"

#include <algorithm>

#include "report/table.hpp"
#include "support/display.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

constexpr int kWidth = 96;
constexpr int kLeftColumn = 34;

/// `left`, then `right` wrapped in a column of its own.
std::string two_columns(const std::string& left, std::string_view right) {
  std::string out = "  " + left;
  int used = 2 + display_width(left);
  if (used > kLeftColumn - 2) {
    out += '\n';
    used = 0;
  }
  for (const std::string& line : wrap_text(right, kWidth - kLeftColumn)) {
    out.append(static_cast<std::size_t>(kLeftColumn - used), ' ').append(line) += '\n';
    used = 0;
  }
  return out;
}

std::string_view value_name(const SettingDef& def) {
  if (!def.placeholder.empty()) return def.placeholder;
  if (!def.field.choices.empty()) return "NAME";
  const FieldKind kind = kind_of(def.field);
  return kind == FieldKind::Integer ? "N" : kind == FieldKind::Real ? "X" : "TEXT";
}

std::string option_text(const SettingDef& def, bool list) {
  std::vector<std::string> names = flags_of(def);
  if (!def.off_flag.empty()) names.emplace_back(def.off_flag);
  std::string text = join(names, ", ");
  if (kind_of(def.field) != FieldKind::Flag) text += cat(" ", value_name(def), list ? ",..." : "");
  return text;
}

std::string option_doc(const SettingDef& def) {
  const Field& field = def.field;
  std::string text(field.doc);
  if (!field.choices.empty()) {
    const std::vector<std::string> names(field.choices.begin(), field.choices.end());
    text += cat(": ", join(names, ", "));
  }
  if (field.initial.is_null() || field.initial == Tree(false)) return text;
  text += cat(" (default ",
              counts_cores(def)             ? "all cores"
              : field.initial == Tree(true) ? "on"
                                            : shown_default(def),
              ")");
  return text;
}

std::string option_lines(const ActionDef& action, std::span<const SettingDef> defs) {
  std::string lines;
  for (const SettingDef& def : defs) {
    const bool list =
        std::find(action.lists.begin(), action.lists.end(), def.field.name) != action.lists.end();
    if (!def.positional) lines += two_columns(option_text(def, list), option_doc(def));
  }
  return lines;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

}  // namespace

std::string program_help() {
  std::string text = "usage: ch ACTION [MODEL] [DATASET] [options]\n\nActions:\n";
  for (const ActionDef& action : all_actions())
    text += two_columns(std::string(action.name), action.summary);
  text +=
      "\n"
      "`ch ACTION --help` says more about one of them, `ch --version` which version this is.\n"
      "Exit codes: 0 done, 1 the input is at fault, 2 usage, 3 a check failed, 70 a bug in ch.\n";
  return text;
}

std::string action_help(const ActionDef& action) {
  std::string text = cat("usage: ", action.usage, "\n\n", action.summary, "\n");
  if (!action.details.empty()) text += cat("\n", action.details, "\n");
  const std::vector<SettingDef> accepted = accepted_settings(action);
  std::string lines;
  for (const std::string_view dest : action.positionals)
    if (const SettingDef* def = find_setting(accepted, dest))
      lines +=
          two_columns(def->placeholder.empty() ? upper_case(dest) : std::string(def->placeholder),
                      def->field.doc);
  if (!lines.empty()) text += cat("\nArguments:\n", lines);
  lines = option_lines(action, action.own);
  if (!lines.empty()) text += cat("\nOptions of ", action.name, ":\n", lines);
  for (int each = 0; each <= static_cast<int>(SettingGroup::Output); ++each) {
    const auto group = static_cast<SettingGroup>(each);
    std::vector<SettingDef> members;
    for (const SettingDef& def : accepted)
      if (def.group == group && find_setting(action.own, def.field.name) == nullptr &&
          (obeys(action, def) || def.field.name == "config"))
        members.push_back(def);
    lines = option_lines(action, members);
    if (!lines.empty()) text += cat("\n", heading(group), ":\n", lines);
  }
  return text;
}

}  // namespace chop::cli
