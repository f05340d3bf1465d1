// The one table of settings. Flags, TOML keys, the configuration table, the help and
// `ch settings` all come from here.
#include "cli/settings/setting_defs.hpp"

#include "train/train_options.hpp"

namespace chop::cli {

std::string_view heading(SettingGroup group) {
  static constexpr std::array<std::string_view, 8> kHeadings = {
      "Task", "Data", "Model", "Training", "Checkpoints", "Machine", "Hardware", "Output"};
  return kHeadings.at(static_cast<std::size_t>(group));
}

Field training_field(std::string_view option, Tree initial) {
  Field field = train_field(option).field;
  if (!initial.is_null()) field.initial = std::move(initial);
  return field;
}

SettingDef option(std::string_view name, std::string_view placeholder, std::string_view doc) {
  return {.field = {.name = name, .doc = doc}, .placeholder = placeholder};
}

SettingDef positional(std::string_view name, std::string_view placeholder, std::string_view doc,
                      std::vector<std::string> (*names)()) {
  return {.field = {.name = name, .doc = doc},
          .positional = true,
          .placeholder = placeholder,
          .names = names};
}

SettingDef flag(std::string_view name, std::string_view doc) {
  return {.field = {.name = name, .initial = false, .doc = doc}};
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
