// ch study list|show|export|delete|merge: what searches have found, wherever it is kept.
#include <filesystem>
#include <iostream>

#include "cli/output.hpp"
#include "cli/views/study_json.hpp"
#include "cli/views/study_view.hpp"
#include "search/study_merge.hpp"
#include "support/display.hpp"
#include "support/json.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/terminal_text.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::study {
namespace {

namespace fs = std::filesystem;

/// Where `ch search` stores a study unless --storage is given.
fs::path study_file(const fs::path& project) {
  return project / "software" / "search_ckpts" / "study.db";
}

/// --storage, or the study file of --project, or that of the only project with one.
Result<std::string> storage_of(const Settings& settings) {
  if (const auto url = settings.text("storage")) return *url;
  const fs::path projects = settings.text_or_empty("project_dir");
  if (const auto project = settings.text("project"))
    return study_file(projects / *project).string();
  std::vector<std::string> found;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(projects, code))
    if (fs::exists(study_file(entry.path()), code))
      found.push_back(entry.path().filename().string());
  if (found.size() == 1) return study_file(projects / found[0]).string();
  std::sort(found.begin(), found.end());
  if (found.empty())
    return Error{.what = cat("no project in '", projects.string(), "' has a study"),
                 .hint = "say where it is: --storage URL, or --project NAME"};
  return Error{.what = cat("several projects in '", projects.string(), "' have studies"),
               .notes = {join(found, ", ")},
               .hint = cat("name one: --project ", found.back())};
}

Result<std::unique_ptr<StudyStore>> open(const Settings& settings, Create create = Create::No) {
  CH_TRY(const std::string url, storage_of(settings));
  return open_store(url, create);
}

/// The study named on the command line; where there is only one it needs no name.
Result<std::string> study_of(const Settings& settings, StudyStore& store) {
  const auto name = settings.text("name");
  if (name) {
    CH_TRY(const std::optional<StudyInfo> found, store.find(*name));
    if (found) return *name;
  }
  CH_TRY(const std::vector<StudySummary> all, store.list());
  std::vector<std::string> names;
  for (const StudySummary& one : all) names.push_back(one.info.name);
  if (!name && names.size() == 1) return names[0];
  return Error{.what = name ? cat("there is no study '", *name, "'") : "which study?",
               .notes = {names.empty() ? "there are none" : cat("there are ", join(names, ", "))},
               .hint = name ? did_you_mean(*name, names) : ""};
}

Result<Exit> list(const Invocation& invocation) {
  CH_TRY(const auto store, open(invocation.settings));
  CH_TRY(const std::vector<StudySummary> studies, store->list());
  return print_table(invocation, studies_table(studies), TableStyle::Simple);
}

Result<Exit> show(const Invocation& invocation) {
  CH_TRY(const auto store, open(invocation.settings));
  CH_TRY(const std::string name, study_of(invocation.settings, *store));
  CH_TRY(const Study study, store->read(name));
  const std::vector<const Trial*> best = best_of(study);
  const auto rows =
      std::min(best.size(), static_cast<std::size_t>(invocation.settings.integer("top")));
  if (prints_text(invocation)) {
    invocation.out << study_text(study, best);
    if (rows > 0)
      invocation.out << "\n"
                     << shown(invocation, best_trials_table(study, std::span(best).first(rows)),
                              TableStyle::Simple);
    if (rows < best.size())
      invocation.out << best.size() - rows << " more; --top N shows as many\n";
  }
  Tree result = tree_of(study.info);
  result["trials"] = study.trials.size();
  result["states"] = Tree::table();
  for (const Trial& trial : study.trials) {
    Tree& count = result["states"][name_of(trial.state)];
    count = count.is_null() ? 1 : *count.as_integer() + 1;
  }
  result["best"] = Tree::list();
  for (std::size_t i = 0; i < rows; ++i) result["best"].push(tree_of(*best[i]));
  return done(invocation, result);
}

Result<Exit> export_study(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  CH_TRY(const auto store, open(settings));
  CH_TRY(const std::string name, study_of(settings, *store));
  CH_TRY(const Study study, store->read(name));
  const Tree tree = tree_of(study);
  const std::string text =
      settings.text("format") == "json" ? to_json(tree, 2) + "\n" : to_csv(trials_table(study));
  const auto file = settings.text("output");
  if (file && *file != "-") {
    CH_CHECK(write_file(*file, text));
    log_info(cat("Wrote ", counted(static_cast<std::int64_t>(study.trials.size()), "trial"),
                 " of '", name, "' to ", *file));
  } else if (prints_text(invocation)) {
    if (is_terminal(invocation.out))
      invocation.out << text;
    else
      write_exact(invocation.out, text);
  }
  return done(invocation, tree);
}

/// Deleting cannot be undone: it needs --yes or a confirmation.
Status confirm(const Invocation& invocation, const std::string& question) {
  if (invocation.settings.flag("yes")) return {};
  if (!is_terminal(stdin))
    return Error{.what = "a study is deleted only when that is confirmed", .hint = "add --yes"};
  invocation.out << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "yes") return {};
  return Error{.what = "nothing was deleted"};
}

Result<Exit> delete_study(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  if (!settings.has("name"))
    return Error{.what = "which study is to be deleted?", .hint = "ch study delete NAME"};
  CH_TRY(const std::string url, storage_of(settings));
  CH_TRY(const auto store, open_store(url, Create::No));
  CH_TRY(const std::string name, study_of(settings, *store));
  std::int64_t trials = 0;
  CH_TRY(const std::vector<StudySummary> all, store->list());
  for (const StudySummary& one : all)
    if (one.info.name == name) trials = one.trials;
  CH_CHECK(confirm(invocation, cat("Delete study '", name, "' with ", counted(trials, "trial"),
                                   " from ", shown_url(url), "?")));
  CH_CHECK(store->remove(name));
  log_info(cat("Deleted '", name, "' with ", counted(trials, "trial")));
  return done(invocation, Tree::Table{{"deleted", name}, {"trials", trials}});
}

Result<Exit> merge(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  std::vector<std::string> names = invocation.words;
  if (const auto first = settings.text("name")) names.insert(names.begin(), *first);
  const std::string into = settings.text_or_empty("into");
  if (names.empty() || into.empty())
    return Error{.what = names.empty() ? "which studies are to be merged?" : "merged into what?",
                 .hint = "ch study merge SOURCE... --into NAME"};
  CH_TRY(const std::string url, storage_of(settings));
  const std::string from = settings.text("from").value_or(url);
  CH_TRY(const auto source_store, open_store(from, Create::No));
  std::vector<Study> sources;
  for (const std::string& name : names) {
    if (name == into && from == url)
      return Error{.what = cat("'", into, "' cannot be merged into itself")};
    CH_TRY(Study study, source_store->read(name));
    sources.push_back(std::move(study));
  }
  CH_TRY(const auto target, open_store(url, Create::Yes));
  CH_TRY(const MergeResult result, merge_studies(sources, *target, into));
  log_info(cat(result.created ? "Made '" : "'", into, "': ", counted(result.merged, "trial"),
               " merged, ", result.known, " were there already, ", result.unfinished,
               " are unfinished"));
  return done(invocation, Tree::Table{{"into", into},
                                      {"created", result.created},
                                      {"merged", result.merged},
                                      {"known", result.known},
                                      {"unfinished", result.unfinished}});
}

struct Verb {
  std::string_view name;
  Result<Exit> (*run)(const Invocation&);
};
constexpr Verb kVerbs[] = {{"list", list},
                           {"show", show},
                           {"export", export_study},
                           {"delete", delete_study},
                           {"merge", merge}};

std::vector<std::string_view> verb_names() {
  std::vector<std::string_view> names;
  for (const Verb& verb : kVerbs) names.push_back(verb.name);
  return names;
}

Result<Exit> run(const Invocation& invocation) {
  const std::string wanted = invocation.settings.text_or_empty("verb");
  if (wanted != "merge" && !invocation.words.empty())
    return Error{.what = cat("unexpected argument '", invocation.words[0], "'"),
                 .hint = cat("usage: ", invocation.action.usage)};
  for (const Verb& verb : kVerbs)
    if (verb.name == wanted) return verb.run(invocation);
  return Error{.what = cat("`ch study` has no '", wanted, "'")};
}

std::vector<SettingDef> options() {
  return {{.field = {.name = "verb", .doc = "what to do", .choices = verb_names()},
           .positional = true,
           .placeholder = "VERB"},
          positional("name", "NAME", "a study"),
          option("storage", "URL",
                 "where studies are: sqlite:///FILE, postgresql://...; the project's file if not "
                 "given"),
          {.field = {.name = "format",
                     .initial = "csv",
                     .doc = "of an export",
                     .choices = {"csv", "json"}},
           .placeholder = "FORMAT"},
          option("output", "FILE", "where an export goes; standard output if not given"),
          {.field = {.name = "top", .initial = 10, .doc = "trials shown", .bounds = kAtLeastOne},
           .placeholder = "N"},
          option("into", "NAME", "the study that others are merged into"),
          option("from", "URL", "where the merged studies are; --storage if not given"),
          flag("yes", "delete without asking")};
}

}  // namespace

ActionDef define() {
  return {
      .name = "study",
      .usage = "ch study list|show|export|delete|merge [NAME...] [options]",
      .summary = "list, show, export, delete and merge studies of searches",
      .details =
          "  ch study list --storage sqlite:///study.db\n"
          "  ch study show mine --project toy\n"
          "  ch study export mine --format csv --output trials.csv\n"
          "  ch study delete mine --yes\n"
          "  ch study merge mine yours --from postgresql://host/studies --into ours\n"
          "Studies are Optuna's as well: docs/studies.md. Of a store with one study NAME may be\n"
          "left out, and so may --project where one project alone has a study.",
      .positionals = {"verb", "name"},
      .required = {"verb"},
      .settings = {"project_dir", "project", "log_level", "json", "quiet", "no_warnings"},
      .own = options(),
      .takes_names = true,
      .run = run};
}

}  // namespace chop::cli::actions::study
