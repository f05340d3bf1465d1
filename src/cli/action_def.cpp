#include "cli/action_def.hpp"

#include "passes/pass_def.hpp"
#include "support/text.hpp"

#include "actions.inc"

namespace chop::cli {

std::span<const ActionDef> all_actions() {
  static const std::vector<ActionDef> table = actions::collected();
  return table;
}

Result<const ActionDef*> find_action(const std::string& name) {
  for (const ActionDef& action : all_actions())
    if (action.name == name) return &action;
  if (name.starts_with('-'))
    return Error{.what = cat("unknown option '", name, "'"),
                 .hint = "the action comes first: ch ACTION [MODEL] [DATASET] [options]"};
  if (find_pass(name))
    return Error{.what = cat("unknown action '", name, "'"),
                 .hint = cat("it is a pass: `ch passes ", name, "` explains it, `ch pass ", name,
                             " MODEL` runs it")};
  return Error{
      .what = cat("unknown action '", name, "'"),
      .hint = cat(did_you_mean(name, registered_names<all_actions>()), "`ch --help` lists all")};
}

bool uses(const ActionDef& action, const SettingDef& def) {
  const auto holds = [](const auto& names, const auto& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!def.implemented) return false;
  if (!def.accepted_with.empty() && holds(action.settings, def.accepted_with)) return true;
  return holds(action.groups, def.group) || holds(action.settings, def.field.name) ||
         holds(action.positionals, def.field.name) ||
         find_setting(action.own, def.field.name) != nullptr;
}

std::vector<SettingDef> accepted_settings(const ActionDef& action) {
  std::vector<SettingDef> accepted;
  for (const SettingDef& def : all_settings()) {
    if (find_setting(action.own, def.field.name) != nullptr)
      continue;  // the action's own setting replaces it
    if (!action.groups.empty() || uses(action, def)) accepted.push_back(def);
  }
  for (SettingDef def : action.own) {  // only for the command line
    def.in_table = def.in_toml = false;
    accepted.push_back(std::move(def));
  }
  return accepted;
}

}  // namespace chop::cli
