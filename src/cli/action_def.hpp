// One verb of the `ch` command. The file src/cli/actions/<verb>.cpp defines
// `ActionDef define()` in namespace chop::cli::actions::<verb>; that is its registration.
#pragma once

#include <ostream>

#include "cli/settings/setting_def.hpp"
#include "cli/settings/settings.hpp"
#include "support/result.hpp"

namespace chop::cli {

/// How the program ends.
enum class Exit {
  Done = 0,
  InputAtFault = 1,  ///< an Error came back
  Usage = 2,         ///< the command line is wrong
  CheckFailed = 3,   ///< the action ran and what it checks is not so
  OurBug = 70,
  Interrupted = 128  ///< by a signal, whose number is added; what was done is saved
};

struct ActionDef;

/// What an action is given: results go to `out`, log lines through support/log.
struct Invocation {
  const ActionDef& action;
  const Settings& settings;
  std::ostream& out;
  bool colour = false;                  ///< `out` is a terminal that wants colours
  std::vector<std::string> words = {};  ///< key=value words or names, where the action takes them
};

struct ActionDef {
  std::string_view name;
  std::string_view usage;         ///< "ch train [MODEL] [DATASET] [options]"
  std::string_view summary;       ///< one clause, lower-case, no final period
  std::string_view details = {};  ///< more help, examples; may be empty
  /// Settings given by position, in order, such as model and dataset.
  std::vector<std::string_view> positionals = {};
  /// Settings that must have a value once everything is merged.
  std::vector<std::string_view> required = {};
  /// Groups of settings the action uses. With any, it takes a configuration file and every setting
  /// of `ch settings`, and warns of given ones that it does not use. With none it takes `settings`
  /// and `own` alone.
  std::vector<SettingGroup> groups = {};
  std::vector<std::string_view> settings = {};  ///< single settings it uses beside `groups`
  std::vector<SettingDef> own = {};             ///< options no other action has
  bool opens_with_settings = false;             ///< prints their table first, as the reference does
  bool takes_words = false;                     ///< key=value words in any number
  bool takes_names = false;                     ///< words beyond the positionals in any number
  /// Settings that may be lists: "64,128" on the command line, [64, 128] in TOML. The action
  /// calls Settings::grid().
  std::vector<std::string_view> lists = {};
  Exit error_exit = Exit::InputAtFault;  ///< what the program returns for an error of `run`
  Result<Exit> (*run)(const Invocation&) = nullptr;
};

std::span<const ActionDef> all_actions();
/// The action of that name; the error names the nearest one.
Result<const ActionDef*> find_action(const std::string& name);

/// The settings `action` accepts, in table order.
std::vector<SettingDef> accepted_settings(const ActionDef& action);
/// True when `action` does something with this setting.
bool uses(const ActionDef& action, const SettingDef& def);

}  // namespace chop::cli
