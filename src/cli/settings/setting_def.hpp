// What is known about one setting: its names, its values, its default, what it is for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/result.hpp"

namespace chop::cli {

enum class SettingKind {
  Int,
  Real,
  Text,
  Flag,          ///< --name, --name=false; true or false in TOML
  ExistingFile,  ///< must exist when it is used; made absolute
  ExistingPath,  ///< a file or a folder, likewise
  Path           ///< need not exist; made absolute
};

/// Headings of the help; an action names the groups it obeys.
enum class SettingGroup { Task, Data, Model, Training, Checkpoints, Machine, Hardware, Output };
std::string_view heading(SettingGroup group);

/// Bounds of a number; all of them finite numbers by themselves.
struct Bounds {
  std::optional<double> least = {};  ///< smallest allowed value
  std::optional<double> above = {};  ///< every value must exceed this one
  std::optional<double> below = {};  ///< every value must stay under this one
};

struct SettingDef {
  std::string_view dest;                ///< name in TOML and in the table
  std::vector<std::string_view> flags;  ///< "--cpu", "--num-workers"; empty: TOML or positional
  SettingKind kind = SettingKind::Text;
  std::optional<std::string> initial = {};  ///< the default as text; nothing is None
  std::vector<std::string_view> choices = {};
  Bounds bounds = {};
  std::string_view placeholder = {};  ///< "N", "DIR" in the help; "[NAME]": may be left out
  std::string_view doc = {};          ///< one clause, lower-case, no final period
  SettingGroup group = SettingGroup::Task;
  bool in_table = true;     ///< has a row in the configuration table
  bool in_toml = true;      ///< may be a top-level key of a configuration file
  bool implemented = true;  ///< false: taken for the reference system's sake; a warning says so
  std::string_view off_flag = {};  ///< "--no-nesterov": the flag that says false
};

using SettingValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// A value and the text that shows it, in Python's spelling: None, True, 1e-05.
struct SettingEntry {
  SettingValue value;
  std::string shown;
};

/// All settings, in the order of the configuration table: the reference system's rows as it
/// prints them, then ours.
std::span<const SettingDef> all_settings();
/// The setting called `dest` among `defs`, or null.
const SettingDef* find_setting(std::span<const SettingDef> defs, std::string_view dest);

/// "a whole number of at least 1", "one of adam, sgd, adamw": the end of a hint.
std::string describe_allowed(const SettingDef& def);

/// `text` as typed on the command line (or as a default), checked against the definition.
/// `name` is how the user called the setting: "--batch-size" or "batch_size".
Result<SettingEntry> read_setting(const SettingDef& def, std::string_view name,
                                  std::string_view text);
/// A value that already has a type (from TOML), checked likewise.
Result<SettingEntry> check_setting(const SettingDef& def, std::string_view name,
                                   const SettingValue& value);

}  // namespace chop::cli
