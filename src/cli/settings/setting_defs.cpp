// The one table of settings. Flags, TOML keys, the configuration table, the help and
// `ch settings` all come from here.
#include "cli/settings/setting_defs.hpp"

#include "train/train_options.hpp"

namespace chop::cli {

std::string_view heading(SettingGroup group) {
  switch (group) {
    case SettingGroup::Task:
      return "Task";
    case SettingGroup::Data:
      return "Data";
    case SettingGroup::Model:
      return "Model";
    case SettingGroup::Training:
      return "Training";
    case SettingGroup::Checkpoints:
      return "Checkpoints";
    case SettingGroup::Machine:
      return "Machine";
    case SettingGroup::Hardware:
      return "Hardware";
    case SettingGroup::Output:
      break;
  }
  return "Output";
}

Field training_field(std::string_view option, Tree initial) {
  Field field = train_field(option).field;
  if (!initial.is_null()) field.initial = std::move(initial);
  return field;
}

std::span<const SettingDef> all_settings() {
  static const std::vector<SettingDef> table = [] {
    std::vector<SettingDef> all = reference_settings();
    for (const SettingDef& def : own_settings()) all.push_back(def);
    for (const SettingDef& def : unlisted_settings()) all.push_back(def);
    return all;
  }();
  return table;
}

const SettingDef* find_setting(std::span<const SettingDef> defs, std::string_view dest) {
  for (const SettingDef& def : defs)
    if (def.field.name == dest) return &def;
  return nullptr;
}

}  // namespace chop::cli
