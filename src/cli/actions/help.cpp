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
  if (prints_text(invocation)) invocation.out << text;
  Tree result;
  result["help"] = text;
  CH_CHECK(write_json(invocation, result));
  return Exit::Done;
}

}  // namespace

ActionDef define() {
  return {.name = "help",
          .usage = "ch help [ACTION] [--json FILE]",
          .summary = "say what the actions are, or more about one of them",
          .positionals = {"name"},
          .settings = {"json", "quiet"},
          .own = {{.field = {.name = "name", .doc = "one action; all when not given"},
                   .positional = true,
                   .placeholder = "ACTION",
                   .names = registered_names<all_actions>}},
          .run = run};
}

}  // namespace chop::cli::actions::help
