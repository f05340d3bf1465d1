// ch settings [NAME]: every setting with its default, the values it takes and what it is for.
#include "cli/settings/settings.hpp"

#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "report/table.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::settings {
namespace {

std::string flags_text(const SettingDef& def) {
  std::vector<std::string> names = all_flags_of(def);
  if (def.positional) names.insert(names.begin(), cat("(", def.placeholder, ")"));
  return join(names, " ");
}

Result<Exit> run(const Invocation& invocation) {
  constexpr int kWrap = 40;
  Table table{.columns = {{"Name", Align::Left, 0, "name"},
                          {"Flags", Align::Left, kWrap, "flags"},
                          {"Default", Align::Left, 0, "default"},
                          {"Allowed", Align::Left, kWrap, "allowed"},
                          {"Meaning", Align::Left, kWrap, "meaning"}},
              .rows = {}};
  const auto wanted = invocation.settings.text("name");
  std::vector<std::string> names;
  for (const SettingDef& def : all_settings()) {
    names.emplace_back(def.field.name);
    if (wanted && *wanted != def.field.name) continue;
    table.rows.push_back({def.field.name, flags_text(def),
                          counts_cores(def) ? "all cores" : shown_default(def),
                          describe_allowed(def.field), def.field.doc});
  }
  if (table.rows.empty())
    return Error{.what = cat("unknown setting '", *wanted, "'"),
                 .hint = cat(did_you_mean(*wanted, names), "`ch settings` lists all")};
  return print_table(invocation, table, TableStyle::Simple);
}

}  // namespace

ActionDef define() {
  return {.name = "settings",
          .usage = "ch settings [NAME] [--json FILE]",
          .summary = "list every setting: its flags, default, allowed values and meaning",
          .details =
              "Each name is also a top-level key of a configuration file (--config).\n"
              "The command line wins over the file, the file over the default.",
          .positionals = {"name"},
          .settings = {"json", "quiet"},
          .own = {positional("name", "NAME", "one setting; all when not given")},
          .run = run};
}

}  // namespace chop::cli::actions::settings
