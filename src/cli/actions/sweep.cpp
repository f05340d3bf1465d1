// ch sweep [MODEL] [DATASET] --batch-size 64,128 --learning-rate 1e-4,1e-3: the same training
// over a grid of settings, several at a time, ending in one table and its pictures.
#include <atomic>
#include <chrono>
#include <set>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/project.hpp"
#include "cli/session.hpp"
#include "cli/set_aside.hpp"
#include "cli/views/sweep_report.hpp"
#include "cli/views/training_report.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::sweep {
namespace {

namespace fs = std::filesystem;

struct Network {
  ModelSource source;
  std::optional<Graph> graph;  ///< of a file; others depend on settings that may be swept
};

/// Files are opened and read once; each training has a copy of the network.
struct Sources {
  std::map<std::string, Network> networks;  ///< by their names
  std::optional<ModelSource> weights;       ///< of --load
};

Result<Network> open_network(ModelSource source, const Settings& settings) {
  Network network{std::move(source), {}};
  if (!network.source.is_network()) return network;
  CH_TRY(OpenedModel opened,
         open_for_data(network.source, settings, settings.text_or_empty("dataset")));
  network.graph = std::move(opened.graph);
  return network;
}

Result<Graph> starting_network(const Sources& sources, const Settings& settings,
                               const Dataset& data) {
  const Network& network = sources.networks.at(settings.text_or_empty("model"));
  if (network.graph) return *network.graph;
  return make_model(network.source, settings, data);
}

/// Every network can be opened and takes the samples. The session has opened the first of them.
Result<Sources> open_sources(Session& session, const std::vector<Settings>& grid) {
  Sources sources{.weights = std::move(session.weights)};
  CH_TRY(Network first, open_network(std::move(session.source), grid.front()));
  sources.networks.emplace(session.model_name, std::move(first));
  for (const Settings& settings : grid) {
    const std::string name = settings.text_or_empty("model");
    if (sources.networks.contains(name)) continue;
    CH_TRY(ModelSource source, model_source(settings));
    CH_TRY(Network network, open_network(std::move(source), settings));
    sources.networks.emplace(name, std::move(network));
    CH_TRY(const Graph graph, starting_network(sources, settings, session.data));
    if (Status fits = check_fits(graph, session.data.test, session.data.num_classes); !fits)
      return std::move(fits).error().note(cat("the network ", name));
  }
  return sources;
}

Status train_one(const Settings& settings, const Sources& sources, const Dataset& data,
                 const fs::path& folder, SweepRun& run) {
  CH_TRY(Graph graph, starting_network(sources, settings, data));
  TrainOptions options = train_options(settings);
  if (sources.weights) {
    CH_TRY(const LoadedInto loaded, load_into(graph, *sources.weights, settings));
    options.transformed = loaded.transformed;
  }
  options.threads = 1;  // the trainings themselves share the cores
  options.checkpoints = folder;
  CH_CHECK(ensure_writable_folder(folder));
  CH_CHECK(write_file(folder / "hparams.yaml", to_yaml(settings_values(settings))));
  TrainObserver observer;
  observer.stop_requested = InterruptGuard::requested;
  CH_TRY(TrainOutcome outcome, train_network(graph, data, options, observer));
  CH_CHECK(write_history(folder,
                         cat(labelled(data, settings.text_or_empty("model")), ", ", run.label()),
                         outcome.history));
  if (outcome.ending != Ending::Interrupted) {
    CH_TRY(run.test, evaluate(outcome.best, data.test,
                              {.batch = evaluation_batch(data.sample_shape, options.batch_size)}));
  }
  run.outcome = std::move(outcome);
  return {};
}

std::string folder_name(const SweepRun& run) {
  std::string name = run.label();
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

void run_all(const std::vector<Settings>& grid, const Sources& sources, const Dataset& data,
             const fs::path& folder, int threads, std::vector<SweepRun>& runs) {
  std::atomic<std::size_t> done{0};
  parallel_for(threads, static_cast<std::int64_t>(grid.size()), [&](std::int64_t i) {
    SweepRun& run = runs[static_cast<std::size_t>(i)];
    if (InterruptGuard::requested()) return;
    const auto start = std::chrono::steady_clock::now();
    if (Status status = train_one(grid[static_cast<std::size_t>(i)], sources, data,
                                  folder / folder_name(run), run);
        !status)
      run.failure = std::move(status).error();
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const EpochMetrics* best = run.best_epoch();
    log_info(cat("[", ++done, "/", grid.size(), "] ", run.label(), ": ",
                 run.failure       ? run.failure->what
                 : best != nullptr ? cat("val loss ", Cell(best->validation_loss, 4).text, " acc ",
                                         Cell(best->validation_accuracy, 4).text, ", ",
                                         Cell(run.seconds, 2).text, " s")
                                   : std::string("interrupted")));
  });
}

/// Settings that every table shows; others appear where they are given.
constexpr std::array<std::string_view, 11> kShown = {"model",
                                                     "dataset",
                                                     "batch_size",
                                                     "learning_rate",
                                                     "max_epochs",
                                                     "weight_decay",
                                                     "training_optimizer",
                                                     "seed",
                                                     "momentum",
                                                     "accumulate_grad_batches",
                                                     "patience"};

/// One run per point; the same point twice would only train the same network twice.
Result<std::vector<SweepRun>> make_runs(const Invocation& invocation,
                                        const std::vector<Settings>& grid) {
  std::vector<std::string_view> names = invocation.settings.axes();
  const std::size_t axes = names.size();
  const auto add = [&names](std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  std::for_each(kShown.begin(), kShown.end(), add);
  for (const std::string_view name : invocation.action.lists)
    if (invocation.settings.source(name) != SettingSource::Default) add(name);
  std::vector<SweepRun> runs(grid.size());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    runs[i].axes = axes;
    for (const std::string_view name : names)
      runs[i].settings.emplace_back(name, grid[i].shown(name, grid[i].source(name)).value_or(""));
    if (!seen.insert(runs[i].label()).second)
      return Error{.what = cat("the grid holds ", runs[i].label(), " twice"),
                   .hint = "name each value once"};
  }
  return runs;
}

/// Tables and pictures, printed and written.
Status report(const Invocation& invocation, const Session& session, const fs::path& folder,
              const std::vector<SweepRun>& runs) {
  const Table whole = sweep_table(runs, SweepColumns::All, session.data.synthetic);
  const Table seeds = seeds_table(runs, Reader::Person);
  if (prints_text(invocation)) {
    const bool paper = invocation.settings.flag("markdown") || invocation.settings.flag("latex");
    if (!paper) invocation.out << fixed_settings(runs.front());
    invocation.out << shown(
        invocation, paper ? whole : sweep_table(runs, SweepColumns::Swept, session.data.synthetic));
    if (!seeds.rows.empty())
      invocation.out << "\nMean and deviation over the seeds"
                     << (std::ranges::all_of(runs, &SweepRun::is_finished)
                             ? ":\n"
                             : ", of the runs that finished:\n")
                     << shown(invocation, seeds);
  }
  CH_CHECK(write_file(folder / "sweep.csv", to_csv(whole)));
  const Table exact = seeds_table(runs, Reader::Program);
  if (!exact.rows.empty()) CH_CHECK(write_file(folder / "seeds.csv", to_csv(exact)));
  CH_CHECK(write_json(invocation, Tree::Table{{"runs", tree_of(whole)},
                                              {"over_seeds", tree_of(exact)},
                                              {"folder", folder.string()}}));
  return write_pictures(
      folder, cat(session.model_name, " on ", labelled(session.data, session.data.name)), runs);
}

/// Whether any training of the sweep came as far as to leave one.
bool left_a_checkpoint(const fs::path& folder) {
  std::error_code code;
  for (const fs::directory_entry& one : fs::recursive_directory_iterator(folder, code))
    if (one.path().extension() == ".ckpt") return true;
  return false;
}

Result<Exit> run(const Invocation& invocation) {
  CH_TRY(const std::vector<Settings> grid, invocation.settings.grid());
  if (invocation.settings.flag("resume"))
    return Error{.what = "a sweep cannot be resumed",
                 .hint = "leave --resume away; `ch train` has it"};
  CH_TRY(std::vector<SweepRun> runs, make_runs(invocation, grid));
  CH_TRY(Session session, open_session(invocation));
  CH_CHECK(open_project(session, invocation.settings, {.area = "sweep", .purpose = "`ch sweep`"}));
  CH_TRY(const Sources sources, open_sources(session, grid));
  std::vector<std::string> models;
  for (const auto& [name, network] : sources.networks) models.push_back(name);
  session.model_name = join(models, ", ");
  const int threads = thread_count(invocation.settings);
  log_info(cat("Sweeping '", session.model_name, "': ", grid.size(), " trainings, ",
               std::min<std::size_t>(grid.size(), static_cast<std::size_t>(threads)),
               " at a time"));
  const InterruptGuard guard;
  const fs::path folder = session.software() / "sweep";
  CH_TRY(const fs::path kept, set_aside_folder(folder, Plain::Goes));
  run_all(grid, sources, session.data, folder, threads, runs);
  CH_TRY(const bool removed, restore_project(session));
  if (removed) log_warning("Checkpoints of runs that ended before that are gone");
  if (Status reported = report(invocation, session, folder, runs); !reported) {
    if (!left_a_checkpoint(folder)) put_back(folder, kept);
    return std::move(reported).failure();
  }
  log_info(cat("Tables and curves are saved to ", folder.string()));
  if (InterruptGuard::requested()) {
    log_warning(cat("Sweeping was interrupted; ", (folder / "sweep.csv").string(),
                    " says which runs are finished"));
    return Exit::Interrupted;
  }
  log_info("Sweeping is completed");
  const bool all_failed = std::all_of(runs.begin(), runs.end(),
                                      [](const SweepRun& one) { return one.failure.has_value(); });
  if (all_failed && !runs.empty()) {
    if (!left_a_checkpoint(folder)) put_back(folder, kept);
    return *runs[0].failure;
  }
  return Exit::Done;
}

/// What may be a list: the network, and every option of training that decides its results.
std::vector<std::string_view> lists() {
  std::vector<std::string_view> names = {"model"};
  for (const TrainField& option : train_fields())
    if (!option.field.internal && option.decides != Decides::Nothing)
      names.push_back(option.field.name);
  return names;
}

}  // namespace

ActionDef define() {
  return {
      .name = "sweep",
      .usage = "ch sweep [MODEL,MODEL...] [DATASET] --SETTING VALUE,VALUE,... [options]",
      .summary = "train over a grid of settings, in parallel, into one table",
      .details =
          "  ch sweep jsc-tiny jsc --batch-size 64,128,256 --learning-rate 1e-4,1e-3\n"
          "  ch sweep jsc-tiny,jsc-s jsc --seed 0,1,2\n"
          "Every combination is trained on the same data. The tables, CSV files with all\n"
          "settings, the curves of loss and accuracy, heat maps of a grid of two settings, and\n"
          "metrics.csv and the checkpoints of every\n"
          "training land in <project>/software/sweep. With several seeds a second table has mean\n"
          "and deviation over them.",
      .positionals = {"model", "dataset"},
      .required = {"model", "dataset"},
      .groups = {SettingGroup::Task, SettingGroup::Data, SettingGroup::Model,
                 SettingGroup::Training, SettingGroup::Checkpoints, SettingGroup::Machine,
                 SettingGroup::Output},
      .lists = lists(),
      .run = run};
}

}  // namespace chop::cli::actions::sweep
