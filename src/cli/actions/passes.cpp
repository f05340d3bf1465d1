// ch passes [NAME]: the passes, and the arguments of each.
#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "passes/pass_def.hpp"

namespace chop::cli::actions::passes {
namespace {

Table all_table() {
  Table table{.columns = {{"Pass", Align::Left, 0, "pass"},
                          {"Promise", Align::Left, 0, "promise"},
                          {"What it does", Align::Left, 80, "doc"}},
              .rows = {}};
  for (const PassDef& pass : all_passes())
    table.rows.push_back({pass.name, name_of(pass.promise), pass.doc});
  return table;
}

Table args_table(const PassDef& pass) {
  Table table{.columns = {{"Argument", Align::Left, 0, "argument"},
                          {"Default", Align::Left, 24, "default"},
                          {"Allowed", Align::Left, 40, "allowed"},
                          {"What it says", Align::Left, 60, "doc"}},
              .rows = {}};
  for (const Field& arg : pass.args)
    table.rows.push_back(
        {arg.name, arg.required ? "required" : default_text(arg), describe_allowed(arg), arg.doc});
  return table;
}

Result<Exit> show_one(const Invocation& invocation, const std::string& name) {
  CH_TRY(const PassDef* pass, find_pass(name));
  const Table args = args_table(*pass);
  if (prints_text(invocation)) {
    invocation.out << pass->name << ": " << pass->doc << "\n"
                   << "It " << explain(pass->promise) << ".\n";
    if (!pass->details.empty()) invocation.out << pass->details << "\n";
    if (!pass->args.empty()) invocation.out << "\n" << shown(invocation, args, TableStyle::Simple);
    if (!pass->open.empty()) invocation.out << "and tables: " << pass->open << "\n";
    invocation.out << "\nIn TOML: [passes." << pass->name << "]; at once: ch pass " << pass->name
                   << " MODEL" << (pass->needs_samples ? " DATASET" : "")
                   << (pass->args.empty() ? "" : " KEY=VALUE ...") << "\n";
  }
  return done(invocation, Tree::Table{{"pass", pass->name},
                                      {"doc", pass->doc},
                                      {"promise", name_of(pass->promise)},
                                      {"args", tree_of(args)}});
}

Result<Exit> run(const Invocation& invocation) {
  if (const auto name = invocation.settings.text("name")) return show_one(invocation, *name);
  return print_table(invocation, all_table(), TableStyle::Simple);
}

}  // namespace

ActionDef define() {
  return {.name = "passes",
          .usage = "ch passes [NAME] [--json FILE]",
          .summary = "list what can be done to a graph, or the arguments of one pass",
          .positionals = {"name"},
          .settings = {"json", "quiet"},
          .own = {positional("name", "NAME", "a pass", registered_names<all_passes>)},
          .run = run};
}

}  // namespace chop::cli::actions::passes
