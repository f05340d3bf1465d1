// What is known about one setting: its names, its values, its default, what it is for.
#pragma once

#include "config/field.hpp"
#include "support/result.hpp"

namespace chop::cli {

/// Headings of the help; an action names the groups it uses.
enum class SettingGroup { Task, Data, Model, Training, Checkpoints, Machine, Hardware, Output };
std::string_view heading(SettingGroup group);

/// A field of the command line and of configuration files. Paths become absolute. Of a whole number
/// the default "auto" is the machine's number of cores.
struct SettingDef {
  Field field;                               ///< its name is the key in TOML and in the table
  std::vector<std::string_view> flags = {};  ///< where they are others than its name: --quiet, -q
  bool positional = false;                   ///< given by position, in TOML, or by one of `flags`
  std::string_view placeholder = {};         ///< "N", "DIR" in the help; "[NAME]": may be left out
  SettingGroup group = SettingGroup::Task;
  bool in_table = true;     ///< has a row in the configuration table
  bool in_toml = true;      ///< may be a top-level key of a configuration file
  bool implemented = true;  ///< false: taken for the reference system's sake; a warning says so
  bool repeats = false;     ///< may be given several times; the texts are joined by newlines
  /// Another setting: actions that accept it accept this one too.
  std::string_view accepted_with = {};
  /// Another setting that cannot be given together with this one.
  std::string_view excludes = {};
  /// Known values, for the shell to complete; others are possible, unlike with Field::choices.
  std::vector<std::string> (*names)() = nullptr;
};

/// The names in a registry: registered_names<all_models>.
template <auto registry>
std::vector<std::string> registered_names() {
  std::vector<std::string> names;
  for (const auto& def : registry()) names.emplace_back(def.name);
  return names;
}

/// An option of an action that takes a text, given by its flag or by position; `names` as above.
SettingDef option(std::string_view name, std::string_view placeholder, std::string_view doc);
SettingDef positional(std::string_view name, std::string_view placeholder, std::string_view doc,
                      std::vector<std::string> (*names)() = nullptr);
/// An option that is false unless its flag is given.
SettingDef flag(std::string_view name, std::string_view doc);

/// A value and the text that shows it, in Python's spelling: None, True, 1e-05.
struct SettingEntry {
  Tree value;
  std::string shown;
};

/// All settings, in the order of the configuration table: the reference system's rows as it
/// prints them, then ours.
std::span<const SettingDef> all_settings();
/// The setting called `dest` among `defs`, or null.
const SettingDef* find_setting(std::span<const SettingDef> defs, std::string_view dest);

/// "--batch-size" of batch_size, unless it has other flags, or is given by position.
std::vector<std::string> flags_of(const SettingDef& def);
bool is_true_by_default(const SettingDef& def);
/// The same and, of a setting that is true by default, the flag that says false: "--no-nesterov".
std::vector<std::string> all_flags_of(const SettingDef& def);
/// The default as the table shows it: None, True, 1e-05, auto.
std::string shown_default(const SettingDef& def);
/// Whether the default is the number of cores.
bool counts_cores(const SettingDef& def);

/// `text` as typed on the command line, checked against the definition. `name` is how the user
/// called the setting: "--batch-size" or "batch_size".
Result<SettingEntry> read_setting(const SettingDef& def, std::string_view name,
                                  std::string_view text);
/// A value that already has a type (from TOML), checked likewise.
Result<SettingEntry> check_setting(const SettingDef& def, std::string_view name, const Tree& value);

}  // namespace chop::cli
