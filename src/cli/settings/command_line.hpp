// The words after `ch ACTION`, taken apart.
#pragma once

#include "cli/action_def.hpp"
#include "cli/settings/config_file.hpp"

namespace chop::cli {

struct CommandLine {
  std::vector<Assignment> settings;
  std::vector<std::string> names;  ///< beyond the positionals, where the action takes them
};

/// What the words say, setting by setting; of repeated flags the last one counts. Options
/// and positionals may come in any order. Every error is a mistake of usage.
Result<CommandLine> parse_command_line(const ActionDef& action, std::span<const SettingDef> defs,
                                       std::span<const std::string> words);

}  // namespace chop::cli
