#include "cli/views/help.hpp"

#include "report/table.hpp"
#include "support/display.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

constexpr int kWidth = 80;
constexpr int kLeftColumn = 30;

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

/// Lines of at most kWidth columns: paragraphs are filled anew, lines that begin with a space
/// (commands) keep their place and go on further to the right.
std::string fitted(std::string_view text) {
  std::string out;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (paragraph.empty()) return;
    for (const std::string& line : wrap_text(paragraph, kWidth)) out += cat(line, "\n");
    paragraph.clear();
  };
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty() && line[0] != ' ') {
      paragraph += cat(paragraph.empty() ? "" : " ", line);
      continue;
    }
    end_paragraph();
    const std::string indent = line.substr(0, line.find_first_not_of(' '));
    if (display_width(line) <= kWidth) {
      out += cat(line, "\n");
      continue;
    }
    std::string room = indent;
    for (const std::string& part :
         wrap_text(line.substr(indent.size()), kWidth - display_width(indent) - 4)) {
      out += cat(room, part, "\n");
      room = indent + "    ";
    }
  }
  end_paragraph();
  return out;
}

std::string_view value_name(const SettingDef& def) {
  if (!def.placeholder.empty()) return def.placeholder;
  if (!def.field.choices.empty()) return "NAME";
  const FieldKind kind = kind_of(def.field);
  return kind == FieldKind::Integer ? "N" : kind == FieldKind::Real ? "X" : "TEXT";
}

std::string option_text(const SettingDef& def, bool list) {
  std::string text = join(all_flags_of(def), ", ");
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
    if (!flags_of(def).empty()) lines += two_columns(option_text(def, list), option_doc(def));
  }
  return lines;
}

}  // namespace

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

std::string program_help() {
  std::string text = "usage: ch ACTION [MODEL] [DATASET] [options]\n\nActions:\n";
  for (const ActionDef& action : all_actions())
    text += two_columns(std::string(action.name), action.summary);
  text +=
      "\n"
      "`ch help ACTION` says more about one of them, `ch version` what this is.\n"
      "Exit codes: 0 done, 1 the input is at fault, 2 usage, 3 a check failed,\n"
      "70 a bug in ch.\n";
  return text;
}

std::string action_help(const ActionDef& action) {
  std::string text = cat(fitted(cat("usage: ", action.usage)), "\n", fitted(action.summary));
  if (!action.details.empty()) text += cat("\n", fitted(action.details));
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
          (uses(action, def) || def.field.name == "config"))
        members.push_back(def);
    lines = option_lines(action, members);
    if (!lines.empty()) text += cat("\n", heading(group), ":\n", lines);
  }
  return text;
}

}  // namespace chop::cli
