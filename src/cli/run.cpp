// Finds the action, merges its settings (command line over configuration file over defaults), runs
// it, and turns an error into a message and an exit code.
#include "cli/run.hpp"

#include <exception>
#include <new>
#include <system_error>

#include "cli/interrupt.hpp"
#include "cli/settings/command_line.hpp"
#include "cli/views/help.hpp"
#include "support/display.hpp"
#include "support/system/log.hpp"
#include "support/system/simd_level.hpp"
#include "support/terminal_text.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

/// An error and what it makes the program return.
struct Failure {
  Error error;
  Exit exit = Exit::InputAtFault;
};

int fail(std::ostream& err, const Failure& failure) {
  err << for_terminal(to_string(failure.error)) << std::flush;
  return static_cast<int>(failure.exit);
}

/// The exit code of what was done, once all of the result has arrived.
int finish(std::ostream& out, std::ostream& err, Exit exit = Exit::Done) {
  if (out.flush()) return static_cast<int>(exit);
  return fail(err, {Error{.what = "cannot write the result to standard output",
                          .hint = "is the disk full, or the program it is piped into gone?"}});
}

Failure out_of_memory() {
  return {Error{.what = "not enough memory",
                .hint = "try a smaller batch, fewer rows or fewer threads"}};
}

bool contains(std::span<const std::string> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Lines the log keeps back from now on, and what the user should know beforehand.
void set_up_log(const ActionDef& action, const Settings& settings) {
  const auto asked = [&settings](std::string_view dest) {
    return find_setting(settings.defs(), dest) != nullptr;
  };
  LogLevel level = LogLevel::Info;
  if (asked("log_level")) level = parse_log_level(*settings.text("log_level")).value_or(level);
  if (asked("quiet") && settings.flag("quiet")) level = std::max(level, LogLevel::Warning);
  set_log_level(level);
  set_log_warnings(!(asked("no_warnings") && settings.flag("no_warnings")));
  for (const std::string& line : settings.warnings()) log_warning(line);
  for (const SettingDef& def : settings.defs())
    if (settings.source(def.field.name) == SettingSource::Manual && !uses(action, def) &&
        def.field.name != "config")
      log_warning(cat(def.positional ? std::string(def.field.name) : flags_of(def).front(),
                      " has no effect on `ch ", action.name, "`"));
}

/// "model" where it is given by position, else the flag: "--in".
std::string shown_name(const ActionDef& action, std::string_view dest) {
  const std::vector<SettingDef> accepted = accepted_settings(action);
  const SettingDef* def = find_setting(accepted, dest);
  const bool by_position = std::find(action.positionals.begin(), action.positionals.end(), dest) !=
                           action.positionals.end();
  return std::string(by_position || def == nullptr || def->flags.empty() ? dest
                                                                         : def->flags.front());
}

Status check_required(const ActionDef& action, const Settings& settings) {
  std::vector<std::string> missing;
  for (const std::string_view dest : action.required)
    if (!settings.has(dest)) missing.push_back(shown_name(action, dest));
  if (missing.empty()) return {};
  return Error{
      .what = cat(join(missing, " and "), missing.size() == 1 ? " is" : " are", " missing"),
      .hint = cat("usage: ", action.usage)};
}

Status check_exclusions(const Settings& settings) {
  for (const SettingDef& def : settings.defs()) {
    const SettingDef* other = find_setting(settings.defs(), def.excludes);
    if (other != nullptr && settings.flag(def.field.name) && settings.flag(def.excludes))
      return Error{.what = cat(flags_of(*other).front(), " and ", flags_of(def).front(),
                               " exclude each other"),
                   .hint = "give one of them"};
  }
  return {};
}

struct Gathered {
  Settings settings;
  std::vector<std::string> names;
};

/// The settings of one run, or why there are none and whose fault it is.
std::variant<Gathered, Failure> gather(const ActionDef& action,
                                       std::span<const std::string> words) {
  std::vector<SettingDef> defs = accepted_settings(action);
  Result<CommandLine> line = parse_command_line(action, defs, words);
  if (!line) return Failure{line.error(), Exit::Usage};
  const std::vector<Assignment>& manual = line.value().settings;

  std::shared_ptr<const ConfigFile> config;
  for (const Assignment& assignment : manual) {
    if (assignment.dest != "config") continue;
    Result<ConfigFile> file =
        read_config_file(assignment.alternatives.front().shown, defs, action.lists);
    if (!file) return Failure{file.error()};
    config = std::make_shared<const ConfigFile>(std::move(file).value());
  }
  Result<Settings> settings =
      Settings::merge(std::move(defs), current_surroundings(), std::move(config), manual);
  if (!settings) return Failure{settings.error()};
  if (Status status = check_required(action, settings.value()); !status)
    return Failure{status.error(), Exit::Usage};
  if (Status status = check_exclusions(settings.value()); !status)
    return Failure{status.error(), Exit::Usage};
  return Gathered{std::move(settings).value(), std::move(line.value().names)};
}

/// "dims=all", "weight_statistics.range_min_max.abs=true": no option, and a name before the =.
bool is_key_value(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && word.front() != '-' &&
         word.substr(0, equals).find('/') == std::string_view::npos;
}

/// The words of the command line apart from its key=value words, which go to `beyond`. What follows
/// an option that takes a value is that value.
std::vector<std::string> take_key_values(const ActionDef& action,
                                         std::span<const std::string> words,
                                         std::vector<std::string>& beyond) {
  std::vector<std::string> taking;
  for (const SettingDef& def : accepted_settings(action))
    if (kind_of(def.field) != FieldKind::Flag)
      for (std::string& flag : flags_of(def)) taking.push_back(std::move(flag));
  std::vector<std::string> options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_value = i > 0 && contains(taking, words[i - 1]);
    (!is_value && is_key_value(words[i]) ? beyond : options).push_back(words[i]);
  }
  return options;
}

/// Keeps to the vector instructions of --simd, or else of the variable.
Status limit_instructions(const Settings& settings) {
  if (find_setting(settings.defs(), "simd") != nullptr)
    if (const auto level = settings.text("simd")) return use_simd_level("--simd", *level);
  if (const auto level = simd_level_variable()) return use_simd_level("CH_SIMD", *level);
  return {};
}

int run_unguarded(const ActionDef& action, std::span<const std::string> words, std::ostream& out,
                  std::ostream& err) {
  std::vector<std::string> beyond;
  const std::vector<std::string> options =
      action.takes_words ? take_key_values(action, words, beyond)
                         : std::vector<std::string>(words.begin(), words.end());
  const std::variant<Gathered, Failure> gathered = gather(action, options);
  if (const auto* failure = std::get_if<Failure>(&gathered)) return fail(err, *failure);
  const auto& [settings, names] = std::get<Gathered>(gathered);
  beyond.insert(beyond.end(), names.begin(), names.end());
  if (const Status limited = limit_instructions(settings); !limited)
    return fail(err, {limited.error(), Exit::Usage});
  set_up_log(action, settings);
  const Result<Exit> result = action.run({.action = action,
                                          .settings = settings,
                                          .out = out,
                                          .colour = wants_colour(out),
                                          .words = std::move(beyond)});
  if (!result) return fail(err, {result.error(), action.error_exit});
  if (result.value() == Exit::Interrupted)
    return static_cast<int>(Exit::Interrupted) + InterruptGuard::signal();
  return finish(out, err, result.value());
}

}  // namespace

int run_action(const ActionDef& action, std::span<const std::string> words, std::ostream& out,
               std::ostream& err) {
  if (contains(words, "--help") || contains(words, "-h")) {
    out << action_help(action);
    return finish(out, err);
  }
  try {
    return run_unguarded(action, words, out, err);
  } catch (const std::bad_alloc&) {
    return fail(err, out_of_memory());
  } catch (const std::exception& surprise) {
    // A thread for which there is no stack.
    const auto* system = dynamic_cast<const std::system_error*>(&surprise);
    if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again)
      return fail(err, out_of_memory());
    return fail(err, {Error{.what = cat("internal error: ", surprise.what()),
                            .hint = "this is a bug of ch; please report the command line"},
                      Exit::OurBug});
  }
}

int run_cli(int argc, char** argv, std::ostream& out, std::ostream& err) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  set_log_sink(err);
  if (words.empty()) {
    err << program_help();
    return static_cast<int>(Exit::Usage);
  }
  if (words[0] == "--version" || words[0] == "-V") {
    out << "ch " << CH_VERSION << '\n';
    return finish(out, err);
  }
  if (words[0] == "--help" || words[0] == "-h") {
    out << program_help();
    return finish(out, err);
  }
  const Result<const ActionDef*> action = find_action(words[0]);
  if (!action) return fail(err, {action.error(), Exit::Usage});
  return run_action(*action.value(), std::span(words).subspan(1), out, err);
}

}  // namespace chop::cli
