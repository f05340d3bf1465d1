// ch sweep [MODEL] [DATASET] --batch-size 64,128 --learning-rate 1e-4,1e-3: the same training
// over a grid of settings, several at a time, ending in one table and one picture.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/project.hpp"
#include "cli/session.hpp"
#include "cli/views/training_report.hpp"
#include "models/registry.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::sweep {
namespace {

struct Trial {
  std::vector<std::pair<std::string, std::string>> point;  ///< the axes' values as shown
  std::optional<TrainOutcome> outcome;
  std::optional<Metrics> test;
  std::optional<Error> failure;
  double seconds = 0;

  std::string label() const {
    std::vector<std::string> parts;
    for (const auto& [name, value] : point) parts.push_back(cat(name, "=", value));
    return parts.empty() ? "run" : join(parts, " ");
  }
};

Status run_trial(const Settings& settings, const Dataset& data, const std::filesystem::path& folder,
                 Trial& trial) {
  CH_TRY(const ModelSource source, model_source(settings));
  CH_TRY(Graph graph, make_model(source, settings, data));
  TrainOptions options = train_options(settings);
  if (const auto path = settings.text("load_name")) {
    CH_TRY(options.transformed, load_into(graph, *path, settings));
  }
  options.threads = 1;  // the trials themselves share the cores
  options.checkpoints = folder;
  CH_CHECK(ensure_writable_folder(folder));
  TrainObserver observer;
  observer.stop_requested = InterruptGuard::requested;
  CH_TRY(TrainOutcome outcome, train_network(graph, data, options, observer));
  if (outcome.ending != Ending::Interrupted) {
    CH_TRY(trial.test,
           evaluate(outcome.best, data.test,
                    {.batch = evaluation_batch(data.sample_shape, options.batch_size)}));
  }
  trial.outcome = std::move(outcome);
  return {};
}

const EpochMetrics* best_epoch(const Trial& trial) {
  if (!trial.outcome) return nullptr;
  for (const EpochMetrics& m : trial.outcome->history)
    if (m.epoch == trial.outcome->best_epoch) return &m;
  return nullptr;
}

/// A number where the setting is one, so that CSV and JSON hold it as such.
Cell as_cell(const std::string& shown) {
  if (const auto whole = parse_int(shown)) return Cell(*whole, shown);
  if (const auto real = parse_double(shown)) return Cell(*real, shown);
  return shown;
}

std::string note_on(const TrainOutcome& outcome) {
  if (outcome.ending == Ending::EarlyStopped) return "stopped early";
  return outcome.ending == Ending::Interrupted ? "interrupted" : "";
}

Table result_table(const Dataset& data, const std::vector<std::string_view>& axes,
                   const std::vector<Trial>& trials) {
  Table table;
  for (const std::string_view axis : axes)
    table.columns.push_back({std::string(axis), Align::Right});
  for (const char* name : {"epochs", "best_epoch", "train_loss", "train_acc", "val_loss", "val_acc",
                           "test_loss", "test_acc", "seconds"})
    table.columns.push_back({name, Align::Right});
  table.columns.push_back(
      {data.synthetic ? "note (synthetic data)" : "note", Align::Left, 0, "note"});
  for (const Trial& trial : trials) {
    std::vector<Cell> row;
    for (const auto& [name, value] : trial.point) row.push_back(as_cell(value));
    const EpochMetrics* best = best_epoch(trial);
    if (best != nullptr) {
      row.insert(
          row.end(),
          {Cell(trial.outcome->history.size()), Cell(best->epoch + 1), Cell(best->train_loss, 4),
           Cell(best->train_accuracy, 4), Cell(best->validation_loss, 4),
           Cell(best->validation_accuracy, 4), trial.test ? Cell(trial.test->loss, 4) : Cell(),
           trial.test ? Cell(trial.test->accuracy(), 4) : Cell(), Cell(trial.seconds, 2)});
      row.emplace_back(note_on(*trial.outcome));
    } else {
      row.resize(axes.size() + 9);
      row.emplace_back(trial.failure ? trial.failure->what : "not finished");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

LineChart curves(const Session& session, const std::vector<Trial>& trials) {
  LineChart chart{.title = cat("Validation loss of ", labelled(session.data, session.model_name)),
                  .x_label = "epoch",
                  .y_label = "validation loss",
                  .series = {}};
  for (const Trial& trial : trials) {
    if (!trial.outcome) continue;
    Series series{.name = trial.label()};
    for (const EpochMetrics& m : trial.outcome->history) {
      series.x.push_back(static_cast<double>(m.epoch + 1));
      series.y.push_back(m.validation_loss);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

std::string folder_name(const Trial& trial) {
  std::string name = trial.label();
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

void run_all(const Session& session, const std::vector<Settings>& grid, int threads,
             std::vector<Trial>& trials) {
  std::atomic<std::size_t> done{0};
  const auto folder = session.software() / "sweep";
  parallel_for(threads, static_cast<std::int64_t>(grid.size()), [&](std::int64_t i) {
    Trial& trial = trials[static_cast<std::size_t>(i)];
    if (InterruptGuard::requested()) return;
    const auto start = std::chrono::steady_clock::now();
    if (Status status = run_trial(grid[static_cast<std::size_t>(i)], session.data,
                                  folder / folder_name(trial), trial);
        !status)
      trial.failure = std::move(status).error();
    trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const EpochMetrics* best = best_epoch(trial);
    log_info(cat("[", ++done, "/", grid.size(), "] ", trial.label(), ": ",
                 trial.failure     ? trial.failure->what
                 : best != nullptr ? cat("val loss ", Cell(best->validation_loss, 4).text, " acc ",
                                         Cell(best->validation_accuracy, 4).text, ", ",
                                         Cell(trial.seconds, 2).text, " s")
                                   : std::string("interrupted")));
  });
}

/// One trial per point; the same point twice would only train the same network twice.
Result<std::vector<Trial>> make_trials(const std::vector<Settings>& grid,
                                       const std::vector<std::string_view>& axes) {
  std::vector<Trial> trials(grid.size());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    for (const std::string_view axis : axes)
      trials[i].point.emplace_back(axis, grid[i].shown(axis, grid[i].source(axis)).value_or(""));
    if (!seen.insert(trials[i].label()).second)
      return Error{.what = cat("the grid holds ", trials[i].label(), " twice"),
                   .hint = "name each value once"};
  }
  return trials;
}

Result<Exit> run(const Invocation& invocation) {
  CH_TRY(const std::vector<Settings> grid, invocation.settings.grid());
  const std::vector<std::string_view> axes = invocation.settings.axes();
  if (invocation.settings.flag("resume"))
    return Error{.what = "a sweep cannot be resumed",
                 .hint = "leave --resume away; `ch train` has it"};
  CH_TRY(const std::vector<Trial> points, make_trials(grid, axes));
  CH_TRY(Session session, open_session(invocation));
  CH_CHECK(open_project(session, invocation.settings, {.area = "sweep", .purpose = "`ch sweep`"}));
  std::vector<Trial> trials = points;
  const int threads = thread_count(invocation.settings);
  log_info(cat("Sweeping '", session.model_name, "': ", grid.size(), " trainings, ",
               std::min<std::size_t>(grid.size(), static_cast<std::size_t>(threads)),
               " at a time"));
  const InterruptGuard guard;
  run_all(session, grid, threads, trials);

  CH_TRY(const bool removed, restore_project(session));
  if (removed) log_warning("Checkpoints of runs that ended before that are gone");
  const Table table = result_table(session.data, axes, trials);
  CH_CHECK(print_table(invocation, table));
  CH_CHECK(write_file(session.software() / "sweep" / "sweep.csv", to_csv(table)));
  CH_CHECK(write_file(session.software() / "sweep" / "learning_curves.svg",
                      to_svg(curves(session, trials))));
  log_info(cat("Table and curves are saved to ", (session.software() / "sweep").string()));
  if (InterruptGuard::requested()) {
    log_info("Sweeping was interrupted; the table says which runs are finished");
    return Exit::Interrupted;
  }
  log_info("Sweeping is completed");
  const bool all_failed = std::all_of(trials.begin(), trials.end(),
                                      [](const Trial& t) { return t.failure.has_value(); });
  if (all_failed && !trials.empty()) return *trials[0].failure;
  return Exit::Done;
}

}  // namespace

ActionDef define() {
  return {
      .name = "sweep",
      .usage = "ch sweep [MODEL] [DATASET] --SETTING VALUE,VALUE,... [options]",
      .summary = "train over a grid of settings, in parallel, into one table",
      .details =
          "  ch sweep jsc-tiny jsc --batch-size 64,128,256 --learning-rate 1e-4,1e-3\n"
          "Every combination is trained with the same seed and data; the table, a CSV and\n"
          "the learning curves land in <project>/software/sweep.",
      .positionals = {"model", "dataset"},
      .required = {"model", "dataset"},
      .groups = {SettingGroup::Task, SettingGroup::Data, SettingGroup::Model,
                 SettingGroup::Training, SettingGroup::Checkpoints, SettingGroup::Machine,
                 SettingGroup::Output},
      .lists = {"batch_size", "learning_rate", "max_epochs", "weight_decay", "training_optimizer",
                "seed", "momentum", "accumulate_grad_batches", "patience"},
      .run = run};
}

}  // namespace chop::cli::actions::sweep
