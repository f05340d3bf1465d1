// A TOML configuration file: settings at the top level, tables kept for those they concern.
#pragma once

#include <filesystem>

#include "cli/settings/setting_def.hpp"

namespace chop::cli {

/// What one source (a file, the command line) says about one setting. More than one
/// alternative only where the action accepts lists.
struct Assignment {
  std::string_view dest;
  std::vector<SettingEntry> alternatives;
};

struct ConfigFile {
  std::filesystem::path path;
  Tree tree = {};                       ///< the whole file: [passes], [search], [model] ...
  std::vector<Assignment> values = {};  ///< top-level keys, in file order

  bool has_table(std::string_view name) const { return tree[name].is_table(); }
};

/// Reads and checks `path`. `lists`: settings that may be arrays. Unknown keys, wrong types
/// and values that are not allowed are errors naming key, value, file and line.
/// A network in a [model] table also gives the setting `model`: the table's `name`, or the
/// file's own name.
Result<ConfigFile> read_config_file(const std::filesystem::path& path,
                                    std::span<const SettingDef> defs,
                                    std::span<const std::string_view> lists);
/// As above for a text already read; `path` only names it.
Result<ConfigFile> parse_config(std::string_view text, const std::filesystem::path& path,
                                std::span<const SettingDef> defs,
                                std::span<const std::string_view> lists);

}  // namespace chop::cli
