// ch search --config FILE: the best mix of precisions (and of ways to train) of a space.
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/project.hpp"
#include "cli/session.hpp"
#include "cli/set_aside.hpp"
#include "cli/views/search_report.hpp"
#include "passes/manager.hpp"
#include "search/study_identity.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::search {
namespace {

namespace fs = std::filesystem;

Result<SearchConfig> configured_search(const Settings& settings) {
  const ConfigFile* config = settings.config();
  if (config == nullptr || !config->has_table("search"))
    return Error{.what = "nothing to search",
                 .hint =
                     "--config FILE with a table [search]; configs/examples/jsc_toy_by_type.toml "
                     "has one, docs/search.md explains it"};
  SearchOverrides overrides;
  overrides.n_trials = settings.maybe_integer("trials");
  overrides.n_jobs = settings.maybe_integer("jobs");
  if (settings.has("timeout")) overrides.timeout = settings.real("timeout");
  overrides.sampler = settings.text("sampler");
  const Tree& search = config->tree["search"];
  return read_search_config(search, config->path.string(), overrides);
}

fs::path search_folder(const Session& session) {
  return session.software() / "search_ckpts";
}

std::string study_name(const Settings& settings) {
  if (const auto named = settings.text("study")) return *named;
  if (const auto project = settings.text("project")) return *project;
  return cat(fs::path(settings.text_or_empty("model")).stem().string(), "_",
             fs::path(settings.text_or_empty("dataset")).stem().string());
}

Result<std::unique_ptr<Sampler>> make_sampler(const SearchProblem& problem, std::uint64_t seed) {
  const SearchConfig& config = problem.config();
  return config.sampler->make({.space = problem.space(),
                               .directions = config.directions(),
                               .metrics = config.metrics,
                               .seed = seed},
                              config.sampler_args);
}

Result<std::unique_ptr<Pruner>> make_pruner(const SearchConfig& config) {
  if (config.pruner == nullptr) return std::unique_ptr<Pruner>();
  return config.pruner->make(config.directions().front(), config.pruner_args);
}

/// Everything a search has besides its session.
struct Search {
  std::unique_ptr<SearchProblem> problem;
  std::unique_ptr<StudyStore> store;
  std::string url;
  std::string study;
};

Result<EngineOutcome> run_study(const Search& search, const Session& session,
                                const Settings& settings) {
  const SearchConfig& config = search.problem->config();
  CH_TRY(const std::unique_ptr<Sampler> sampler, make_sampler(*search.problem, settings.seed()));
  CH_TRY(const std::unique_ptr<Pruner> pruner, make_pruner(config));
  CH_CHECK(open_study(*search.store,
                      describe_study(search.study, *search.problem, session.graph, session.data),
                      search.problem->space()));
  const EngineOptions options{.n_trials = config.n_trials,
                              .workers = config.n_jobs,
                              .timeout = config.timeout,
                              .session = {.heartbeat = settings.real("heartbeat")}};
  CH_TRY(const std::unique_ptr<StudySession> joined,
         search.store->join(search.study, options.session));
  SearchProgress progress(*search.problem, config.n_trials);
  EngineObserver observer;
  observer.on_trial = [&progress](const Trial& trial) { progress.on_trial(trial); };
  observer.on_note = [](const std::string& note) { log_warning(note); };
  observer.stop_requested = InterruptGuard::requested;
  Engine engine(*search.problem, *sampler, pruner.get(), *joined, options, observer);
  Result<EngineOutcome> outcome = engine.run();
  progress.finish();
  return outcome;
}

/// Which trial `--save-best` means; null: none was asked for.
Result<const Trial*> trial_to_save(const Settings& settings, const SearchConfig& config,
                                   std::span<const Trial> trials) {
  if (!settings.has("save_best")) return nullptr;
  const std::string wanted = *settings.text("save_best");
  if (wanted == "auto") {  // no number given
    const Trial* best = favourite(best_of(trials, config.directions()), config.metrics);
    if (best == nullptr) return Error{.what = "there is no complete trial to save"};
    return best;
  }
  const auto number = parse_int(wanted);
  for (const Trial& trial : trials)
    if (number && trial.number == *number && trial.state == TrialState::Complete) return &trial;
  return Error{.what = cat("--save-best ", wanted, ": there is no complete trial of that number"),
               .hint = "leave the number out for the best one"};
}

Result<fs::path> save_best(const Search& search, const Session& session, const Settings& settings,
                           const Trial& trial) {
  const SampledTrial sampled = as_sampled(trial, search.problem->space());
  if (sampled.point.empty())
    return Error{.what = cat("trial ", trial.number, " is not of this space")};
  CH_TRY(Candidate best, search.problem->rebuild(sampled.point));
  CH_CHECK(add_metadata(best.graph, {.batch_size = settings.integer("batch_size")}));
  const fs::path path = search_folder(session) / "best.mz";
  CH_CHECK(set_aside(path));
  CH_CHECK(save_checkpoint(
      path, {.graph = best.graph, .info = info_of_transformed(session.graph, session.trained_on)}));
  log_info(cat("Saved trial ", trial.number, " to ", path.string()));
  return path;
}

void log_ending(const EngineOutcome& outcome, const SearchConfig& config) {
  if (outcome.stopped)
    log_warning("Interrupted; the same command goes on where it stopped");
  else if (outcome.timed_out)
    log_info("The timeout is over; the same command goes on where it stopped");
  else if (outcome.exhausted)
    log_info("The sampler has nothing left to try");
  else if (outcome.ran == 0)
    log_info(cat("The study had its ", config.n_trials,
                 " trials already: --trials N for more, --study NAME for another one"));
}

Tree tree_of(const Search& search, const Session& session, const EngineOutcome& outcome,
             const Table& best, const std::optional<fs::path>& saved) {
  std::map<TrialState, std::int64_t> states;
  for (const Trial& trial : outcome.trials) ++states[trial.state];
  Tree result = Tree::Table{{"model", session.model_name},
                            {"dataset", session.data.name},
                            {"synthetic", session.data.synthetic},
                            {"study", search.study},
                            {"storage", shown_url(search.url)}};
  const auto size = search.problem->space().size();
  result["points"] = size;
  result["trials"] = outcome.trials.size();
  for (const auto& [state, count] : states) result["states"][name_of(state)] = count;
  result["ran"] = outcome.ran;
  result["seconds"] = outcome.seconds;
  result["best"] = tree_of(best);
  result["folder"] = search_folder(session).string();
  result["checkpoint"] = saved ? Tree(saved->string()) : Tree();
  return result;
}

Result<Exit> report(const Invocation& invocation, const Search& search, const Session& session,
                    const EngineOutcome& outcome) {
  const SearchConfig& config = search.problem->config();
  log_ending(outcome, config);
  const std::string title =
      cat(session.model_name, " on ", labelled(session.data, session.data.name));
  const bool is_new = outcome.ran == static_cast<std::int64_t>(outcome.trials.size());
  CH_CHECK(write_search_files(search_folder(session), *search.problem, outcome.trials, title,
                              is_new ? StudyAge::New : StudyAge::Continued));
  const std::vector<const Trial*> best = best_of(outcome.trials, config.directions());
  const Table table = best_table(*search.problem, best, TrialColumns::All);
  if (prints_text(invocation))
    invocation.out << "Best trial(s):\n"
                   << shown(invocation, best_table(*search.problem, best, TrialColumns::Few),
                            TableStyle::Orgtbl);
  std::optional<fs::path> saved;
  CH_TRY(const Trial* wanted, trial_to_save(invocation.settings, config, outcome.trials));
  if (wanted != nullptr) {
    CH_TRY(saved, save_best(search, session, invocation.settings, *wanted));
  }
  log_info(cat(outcome.ran, outcome.ran == 1 ? " trial in " : " trials in ",
               Cell(outcome.seconds, 2).text, " s, ",
               Cell(static_cast<double>(outcome.ran) / std::max(1e-9, outcome.seconds), 1).text,
               " a second; study '", search.study, "' in ", shown_url(search.url)));
  log_info(cat("Results in ", search_folder(session).string()));
  CH_CHECK(write_json(invocation, tree_of(search, session, outcome, table, saved)));
  if (best.empty() && !outcome.stopped && !outcome.timed_out)
    return Error{.what = "no trial was completed",
                 .hint = "the warnings above say why trials failed"};
  if (outcome.stopped) return Exit::Interrupted;
  log_info("Searching is completed");
  return Exit::Done;
}

/// The project's folder, and a store in it unless the search has one already.
Status open_own_store(Search& search, Session& session, const Settings& settings) {
  const bool own_file = !search.store;
  CH_CHECK(open_project(session, settings,
                        {.area = "search_ckpts",
                         .purpose = cat("`ch search` of study '", search.study, "' in ",
                                        own_file ? "study.db" : shown_url(search.url)),
                         .share = FolderLock::Share::SamePurpose,
                         .continues = own_file ? "study.db" : ""}));
  if (!own_file) return {};
  search.url = (search_folder(session) / "study.db").string();
  CH_TRY(search.store, open_store(search.url));
  return {};
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  CH_TRY(const SearchConfig config, configured_search(settings));
  if (const auto wanted = settings.text("save_best");
      wanted && *wanted != "auto" && !parse_int(*wanted))
    return Error{.what = cat("--save-best ", *wanted, ": not the number of a trial"),
                 .hint = "leave the number out for the best one"};
  Search search{.study = study_name(settings)};
  const bool dry = settings.flag("dry_run");
  if (const auto url = settings.text("storage"); url && !dry) {
    search.url = *url;  // a missing database is reported before the data is read
    CH_TRY(search.store, open_store(search.url));
  }
  CH_TRY(Session session, open_session(invocation));
  CH_TRY(search.problem, SearchProblem::make(config, session.graph, session.data,
                                             {.batch_size = settings.integer("batch_size"),
                                              .threads = thread_count(settings),
                                              .training = train_options(settings)}));
  for (const std::string& note : search.problem->notes()) log_info(note);
  if (prints_text(invocation))
    invocation.out << space_text(*search.problem,
                                 asked_style(invocation).value_or(TableStyle::Orgtbl))
                   << std::flush;
  if (dry)
    return done(invocation, Tree::Table{{"points", search.problem->space().size()},
                                        {"parameters", search.problem->space().dimensions()}});
  CH_CHECK(open_own_store(search, session, settings));
  if (!session.trained && !search.problem->trains()) warn_of_random_weights();
  log_info(cat("Searching '", session.model_name, "' with ", config.sampler->name, ": ",
               config.n_trials, config.n_trials == 1 ? " trial, " : " trials, ", config.n_jobs,
               " at a time..."));
  const InterruptGuard guard;
  CH_TRY(const EngineOutcome outcome, run_study(search, session, settings));
  CH_TRY([[maybe_unused]] const bool restored, restore_project(session));
  return report(invocation, search, session, outcome);
}

std::vector<SettingDef> own_settings_of_search() {
  return {
      option("storage", "URL",
             "where the study is kept: memory, sqlite:///FILE, postgresql://...; a file of the "
             "project if not given"),
      option("study", "NAME", "the study's name; one that exists is continued"),
      {.field = {.name = "trials",
                 .doc = "trials the study should have in all",
                 .kind = FieldKind::Integer,
                 .bounds = kAtLeastOne},
       .placeholder = "N"},
      {.field = {.name = "jobs",
                 .doc = "trials at a time; -1: one per core",
                 .kind = FieldKind::Integer},
       .placeholder = "N"},
      {.field = {.name = "timeout",
                 .doc = "seconds after which no further trial begins",
                 .kind = FieldKind::Real,
                 .bounds = kAboveZero},
       .placeholder = "S"},
      option("sampler", "NAME", "what chooses the next trial"),
      {.field = {.name = "heartbeat",
                 .initial = 10,
                 .doc =
                     "seconds between a worker's heartbeats; after three without one its trial is "
                     "tried again",
                 .kind = FieldKind::Real,
                 .bounds = kAtLeastZero},
       .placeholder = "S"},
      flag("dry_run", "show the space and its size, run nothing"),
      option("save_best", "[NUMBER]",
             "save the best network, or that of a trial, as search_ckpts/best.mz")};
}

}  // namespace

ActionDef define() {
  return {
      .name = "search",
      .usage = "ch search [MODEL|FILE] [DATASET] --config FILE [options]",
      .summary = "find the best mix of precisions",
      .details =
          "  ch search --config configs/examples/jsc_toy_by_type.toml --load best.ckpt\n"
          "  ch search --config my_search.toml --storage postgresql://host/studies --study mine\n"
          "Tries points of the space [search.search_space] and evaluates them by the metrics of\n"
          "[search.strategy.metrics]. The study goes on where it stopped, is shared by all who\n"
          "name the same storage and study, and opens in Optuna. docs/search.md has it all.",
      .positionals = {"model", "dataset"},
      .required = {"model", "dataset"},
      .groups = {SettingGroup::Task, SettingGroup::Data, SettingGroup::Model,
                 SettingGroup::Training, SettingGroup::Checkpoints, SettingGroup::Machine,
                 SettingGroup::Output},
      .own = own_settings_of_search(),
      .run = run};
}

}  // namespace chop::cli::actions::search
