// ch completion SHELL: what bash, zsh and fish need to complete the words of a `ch` command.
//
// The scripts are a few lines: they call `ch completion words TYPED` with the words typed so far,
// one a line, the last perhaps unfinished and marked by a full stop, and offer what it prints, or
// files where it prints nothing. So the shell knows every action, flag and name that this program
// knows.

#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::completion {
namespace {

constexpr std::string_view kBash = R"sh(_ch() {
  local IFS=$'\n'
  mapfile -t COMPREPLY < <("$1" completion words "${COMP_WORDS[*]:1:COMP_CWORD}." 2>/dev/null)
}
complete -o default -F _ch ch ./ch
)sh";

constexpr std::string_view kZsh = R"sh(#compdef ch
_ch() {
  local -a found
  found=(${(f)"$("${words[1]}" completion words "${(F)words[2,CURRENT]}." 2>/dev/null)"})
  if (( ${#found} )); then compadd -a found; else _files; fi
}
compdef _ch ch ./ch
)sh";

constexpr std::string_view kFish = R"sh(function __ch_words
  set -l typed (commandline -opc)
  set -l line $typed[2..-1] (commandline -ct).
  $typed[1] completion words (string join \n -- $line | string collect) 2>/dev/null
end
complete -c ch -a '(__ch_words)'
)sh";

std::vector<std::string> values_of(const SettingDef& def) {
  if (def.names != nullptr) return def.names();
  return {def.field.choices.begin(), def.field.choices.end()};
}

bool has_flag(const SettingDef& def, const std::string& word) {
  const std::vector<std::string> flags = flags_of(def);
  return std::find(flags.begin(), flags.end(), word) != flags.end();
}

/// What the last of `words` can be, unfinished as it is.
std::vector<std::string> candidates(std::span<const std::string> words) {
  if (words.size() < 2) return registered_names<all_actions>();
  const Result<const ActionDef*> action = find_action(words[0]);
  if (!action) return {};
  const std::vector<SettingDef> accepted = accepted_settings(*action.value());
  std::vector<std::string> flags = {"--help"};
  std::size_t position = 0;             // among the words that are neither flags nor their values
  const SettingDef* waiting = nullptr;  // the flag whose value comes next
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const bool is_value = waiting != nullptr;
    waiting = nullptr;
    if (is_value) continue;
    if (!words[i].starts_with('-')) ++position;
    for (const SettingDef& def : accepted)
      if (has_flag(def, words[i]) && kind_of(def.field) != FieldKind::Flag) waiting = &def;
  }
  if (waiting != nullptr) return values_of(*waiting);
  if (words.back().starts_with('-')) {
    for (const SettingDef& def : accepted)
      for (std::string& flag : all_flags_of(def)) flags.push_back(std::move(flag));
    return flags;
  }
  const std::vector<std::string_view>& by_position = action.value()->positionals;
  if (position >= by_position.size()) return {};
  return values_of(*find_setting(accepted, by_position[position]));
}

Result<Exit> run(const Invocation& invocation) {
  const std::string shell = *invocation.settings.text("shell");
  std::string text(shell == "bash" ? kBash : shell == "zsh" ? kZsh : shell == "fish" ? kFish : "");
  if (shell == "words") {
    std::vector<std::string> typed = split(invocation.settings.text_or_empty("typed"), '\n');
    if (!typed.back().empty()) typed.back().pop_back();  // the full stop
    for (const std::string& word : candidates(typed))
      if (word.starts_with(typed.back())) text += cat(word, "\n");
  }
  return print_text(invocation, "text", text);
}

}  // namespace

ActionDef define() {
  return {.name = "completion",
          .usage = "ch completion bash|zsh|fish",
          .summary = "print what a shell needs to complete the words of a command",
          .details =
              "  source <(ch completion bash)       in ~/.bashrc\n"
              "  source <(ch completion zsh)        in ~/.zshrc, after compinit\n"
              "  ch completion fish | source        in ~/.config/fish/config.fish",
          .positionals = {"shell", "typed"},
          .required = {"shell"},
          .settings = {"json", "quiet"},
          .own = {{.field = {.name = "shell",
                             .doc = "the shell; words: what the last word of TYPED can be",
                             .choices = {"bash", "zsh", "fish", "words"}},
                   .positional = true,
                   .placeholder = "SHELL"},
                  positional("typed", "TYPED", "words of a command, one a line, and a full stop")},
          .run = run};
}

}  // namespace chop::cli::actions::completion
