// Settings from a few words and a piece of TOML, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/settings/command_line.hpp"
#include "cli/settings/settings.hpp"

namespace chop::testing_cli {

/// An action that uses everything, with model and dataset as positionals.
inline ActionDef everything() {
  return {.name = "try",
          .usage = "ch try [MODEL] [DATASET] [options]",
          .summary = "for tests",
          .positionals = {"model", "dataset"},
          .groups = {SettingGroup::Task, SettingGroup::Data, SettingGroup::Model,
                     SettingGroup::Training, SettingGroup::Checkpoints, SettingGroup::Machine,
                     SettingGroup::Hardware, SettingGroup::Output},
          .lists = {"batch_size", "learning_rate", "training_optimizer"}};
}

inline Result<Settings> settings_of(const std::vector<std::string>& words,
                                    const char* toml = nullptr, std::vector<SettingDef> defs = {}) {
  const ActionDef action = everything();
  if (defs.empty()) defs = accepted_settings(action);
  CH_TRY(const CommandLine line, parse_command_line(action, defs, words));
  std::shared_ptr<const ConfigFile> config;
  if (toml != nullptr) {
    CH_TRY(ConfigFile file, parse_config(toml, "run.toml", defs, action.lists));
    config = std::make_shared<const ConfigFile>(std::move(file));
  }
  return Settings::merge(std::move(defs), {.threads = 8, .folder = "/data/laurie2905/mase"}, config,
                         line.settings);
}

/// The error of such a call, as the user sees it.
inline std::string error_of(const std::vector<std::string>& words, const char* toml = nullptr) {
  const Result<Settings> settings = settings_of(words, toml);
  return settings ? "no error" : to_string(settings.error());
}

}  // namespace chop::testing_cli
