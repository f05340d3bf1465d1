#include "cli/settings/command_line.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "support/text.hpp"

namespace chop::cli {
namespace {

/// "--cpu,--num-workers" or "--nesterov,!--no-nesterov", as CLI11 wants names.
std::string option_names(const SettingDef& def) {
  std::vector<std::string> names = all_flags_of(def);
  if (is_true_by_default(def)) names.back().insert(0, "!");
  return join(names, ",");
}

std::vector<std::string> all_flags(std::span<const SettingDef> defs) {
  std::vector<std::string> flags = {"--help"};
  for (const SettingDef& def : defs)
    for (std::string& flag : all_flags_of(def)) flags.push_back(std::move(flag));
  return flags;
}

/// The flag `name` is the beginning of, when there is only one; else the nearest one.
std::string flag_hint(const std::string& name, const std::vector<std::string>& flags) {
  std::vector<std::string> longer;
  for (const std::string& flag : flags)
    if (name.size() > 3 && flag.starts_with(name)) longer.push_back(flag);
  if (longer.size() == 1) return cat("did you mean '", longer[0], "'? ");
  return did_you_mean(name, flags);
}

Error unknown_word(const std::string& word, const ActionDef& action,
                   std::span<const SettingDef> defs) {
  const std::string help = cat("`ch ", action.name, " --help` lists all options");
  if (!word.starts_with('-') || word == "-")
    return {.what = cat("unexpected argument '", word, "'"), .hint = cat("usage: ", action.usage)};
  const std::string name = word.substr(0, word.find('='));
  for (const std::string_view dest : action.positionals)
    if (const SettingDef* def = find_setting(defs, dest); def && name == cat("--", dest))
      return {.what = cat("unknown option '", name, "'"),
              .hint = cat("give it as a word", def->flags.empty() ? "" : ", or with ",
                          join(flags_of(*def), " or "), "; usage: ", action.usage)};
  const std::vector<std::string> known = all_flags(defs);
  const std::vector<std::string> elsewhere = all_flags(all_settings());
  if (std::find(elsewhere.begin(), elsewhere.end(), name) != elsewhere.end())
    return {.what = cat("`ch ", action.name, "` does not take ", name), .hint = help};
  return {.what = cat("unknown option '", name, "'"), .hint = cat(flag_hint(name, known), help)};
}

/// The flag of `def` the user wrote, for use in messages.
std::string name_used(const SettingDef& def, std::span<const std::string> words) {
  const std::vector<std::string> flags = flags_of(def);
  for (auto word = words.rbegin(); word != words.rend(); ++word)
    for (const std::string& flag : flags)
      if (*word == flag || word->starts_with(cat(flag, "="))) return flag;
  return flags.empty() ? std::string(def.field.name) : flags.front();
}

Result<Assignment> assign(const SettingDef& def, const std::string& text, const std::string& name,
                          bool list) {
  Assignment assignment{.dest = def.field.name, .alternatives = {}};
  const std::vector<std::string> parts = list ? split(text, ',') : std::vector{text};
  for (const std::string& part : parts) {
    CH_TRY(SettingEntry entry, read_setting(def, name, trim(part)));
    assignment.alternatives.push_back(std::move(entry));
  }
  return assignment;
}

/// "[DATASET]": the flag alone means "auto".
bool has_optional_value(const SettingDef& def) {
  return def.placeholder.starts_with('[');
}

/// CLI11 knows which words belong together; what they may be is ours to say.
struct Parser {
  CLI::App app;
  std::vector<std::pair<const SettingDef*, CLI::Option*>> options;

  Parser(const ActionDef& action, std::span<const SettingDef> defs) {
    app.set_help_flag();
    app.allow_extras();
    for (const std::string_view dest : action.positionals) {
      const SettingDef* def = find_setting(defs, dest);
      const std::string names =
          def == nullptr || def->flags.empty() ? "" : cat(",", option_names(*def));
      options.emplace_back(def, app.add_option(cat(dest, names))->take_last());
    }
    for (const SettingDef& def : defs) {
      if (def.positional) continue;
      CLI::Option* option = kind_of(def.field) == FieldKind::Flag
                                ? app.add_flag(option_names(def))
                                : app.add_option(option_names(def));
      if (has_optional_value(def)) option->expected(0, 1)->default_str("auto");
      options.emplace_back(&def, def.repeats ? option->take_all() : option->take_last());
    }
  }
};

/// Where an action takes any number of words, the last one is its last positional:
/// `ch test A B --in FILE` and `ch test --in FILE A B` are `ch test A B FILE`.
std::vector<std::string> with_last_word(const ActionDef& action, std::span<const SettingDef> defs,
                                        std::span<const std::string> words) {
  std::vector<std::string> arranged;
  std::optional<std::string> last;
  const SettingDef* def = action.takes_names && !action.positionals.empty()
                              ? find_setting(defs, action.positionals.back())
                              : nullptr;
  const std::vector<std::string> flags =
      def == nullptr ? std::vector<std::string>() : flags_of(*def);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    const bool is_last = std::find(flags.begin(), flags.end(), name) != flags.end();
    if (!is_last || last || (name == words[i] && i + 1 == words.size())) {
      arranged.push_back(words[i]);
    } else {
      last = name == words[i] ? words[++i] : words[i].substr(name.size() + 1);
    }
  }
  if (last) arranged.push_back(*last);
  return arranged;
}

/// The words with those in front that give a positional by its flag: the words without flags are
/// then the other positionals.
std::vector<std::string> with_named_first(const ActionDef& action, std::span<const SettingDef> defs,
                                          std::span<const std::string> words) {
  std::vector<std::string> flags;
  for (const std::string_view dest : action.positionals)
    if (const SettingDef* def = find_setting(defs, dest))
      for (std::string& flag : flags_of(*def)) flags.push_back(std::move(flag));
  std::vector<std::string> named;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    const bool is_named = std::find(flags.begin(), flags.end(), name) != flags.end();
    (is_named ? named : others).push_back(words[i]);
    if (is_named && name == words[i] && i + 1 < words.size()) named.push_back(words[++i]);
  }
  named.insert(named.end(), others.begin(), others.end());
  return named;
}

Error parse_failure(std::span<const std::string> words, std::span<const SettingDef> defs,
                    const char* why) {
  for (const SettingDef& def : defs)
    for (const std::string& flag : flags_of(def))
      if (!words.empty() && words.back() == flag)
        return {.what = cat(flag, " needs a value"),
                .hint = cat(flag, " takes ", describe_allowed(def.field), ": ", def.field.doc)};
  return {.what = cat("cannot understand the command line: ", why)};
}

Result<CommandLine> read_words(const ActionDef& action, std::span<const SettingDef> defs,
                               std::span<const std::string> words) {
  Parser parser(action, defs);
  try {
    std::vector<std::string> backwards(words.rbegin(), words.rend());  // as CLI11 wants them
    parser.app.parse(backwards);
  } catch (const CLI::Error& failure) {
    return parse_failure(words, defs, failure.what());
  }
  const std::vector<std::string> extras = parser.app.remaining();
  for (const std::string& word : extras)
    if (word.starts_with('-') && word != "--") return unknown_word(word, action, defs);
  CommandLine line;
  for (const std::string& word : extras) {
    if (word == "--") continue;
    if (!action.takes_names) return unknown_word(word, action, defs);
    line.names.push_back(word);
  }
  for (const auto& [def, option] : parser.options) {
    if (option->count() == 0) continue;
    const auto& lists = action.lists;
    const bool list = std::find(lists.begin(), lists.end(), def->field.name) != lists.end();
    const std::string name = name_used(*def, words);
    if (def->positional && option->count() > 1)
      return Error{.what = cat("the ", def->field.name,
                               " is given twice: ", join(option->results(), " and ")),
                   .hint = cat("usage: ", action.usage)};
    std::string text = def->repeats ? join(option->results(), "\n") : option->results().back();
    // What CLI11 makes of a flag without its value.
    if (has_optional_value(*def) && (text.empty() || text == "true" || text == "{}")) text = "auto";
    CH_TRY(Assignment assignment, assign(*def, text, name, list));
    line.settings.push_back(std::move(assignment));
  }
  return line;
}

}  // namespace

Result<CommandLine> parse_command_line(const ActionDef& action, std::span<const SettingDef> defs,
                                       std::span<const std::string> given) {
  const std::vector<std::string> words = with_last_word(action, defs, given);
  Result<CommandLine> line = read_words(action, defs, words);
  if (line || action.takes_names) return line;
  // `ch sweep jsc --model a,b` is `ch sweep --model a,b jsc`.
  Result<CommandLine> again = read_words(action, defs, with_named_first(action, defs, words));
  return again ? std::move(again) : std::move(line);
}

}  // namespace chop::cli
