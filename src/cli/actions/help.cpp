// ch help [ACTION]: what `ch --help` and `ch ACTION --help` print.
#include "cli/views/help.hpp"
#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::help {
namespace {

Result<Exit> run(const Invocation& invocation) {
  const auto name = invocation.settings.text("name");
  std::string text = program_help();
  if (name) {
    CH_TRY(const ActionDef* action, find_action(*name));
    text = action_help(*action);
  }
  return print_text(invocation, "help", text);
}

}  // namespace

ActionDef define() {
  return {.name = "help",
          .usage = "ch help [ACTION] [--json FILE]",
          .summary = "say what the actions are, or more about one of them",
          .positionals = {"name"},
          .settings = {"json", "quiet"},
          .own = {positional("name", "ACTION", "one action; all when not given",
                             registered_names<all_actions>)},
          .error_exit = Exit::Usage,  // as `ch trian` does
          .run = run};
}

}  // namespace chop::cli::actions::help
