// ch train [MODEL] [DATASET]: trains a network, validates after each epoch, tests at the end.
#include <chrono>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/project.hpp"
#include "cli/session.hpp"
#include "cli/set_aside.hpp"
#include "cli/views/training_report.hpp"
#include "ops/core/infer.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/system/progress.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::train {
namespace {

namespace fs = std::filesystem;

/// The checkpoint to resume from, or nothing when the run ended before its first one.
Result<std::optional<Checkpoint>> find_interrupted(Session& session, const Settings& settings) {
  const fs::path path = session.checkpoints() / "last.ckpt";
  if (!fs::exists(path)) {
    log_warning(cat("nothing to resume at ",
                    settings.has("project") ? path.string() : projects_like(settings),
                    "; starting from the beginning"));
    return std::optional<Checkpoint>();
  }
  CH_TRY(Checkpoint checkpoint, load_checkpoint(path));
  CH_CHECK(verify(checkpoint.graph));
  if (is_transformed_from(checkpoint, session.graph)) {
    session.graph = checkpoint.graph;
    session.transformed = true;
  }
  CH_CHECK(check_same_network(session.graph, checkpoint.graph));
  log_info(cat("Resuming from ", path.string()));
  return std::optional<Checkpoint>(std::move(checkpoint));
}

std::string fixed(double value, int digits) {
  return Cell(value, digits).text;
}

/// One line per epoch: what a log file needs, and what stays on a terminal.
void log_epoch(const EpochMetrics& m, std::int64_t epochs, double seconds) {
  log_info(cat("Epoch ", m.epoch + 1, "/", epochs, ": train loss ", fixed(m.train_loss, 4), " acc ",
               fixed(m.train_accuracy, 4), ", val loss ", fixed(m.validation_loss, 4), " acc ",
               fixed(m.validation_accuracy, 4), ", ", fixed(seconds, 2), " s",
               m.is_best ? " (best)" : ""));
}

/// How long a run will still take, by what it has done since the first call.
class RunTime {
 public:
  explicit RunTime(const TrainOptions& options) : options_(options) {}

  /// ", 01:15 left"
  std::string left(std::int64_t epoch, std::int64_t batch, std::int64_t batches) {
    const double now =
        static_cast<double>(epoch) + static_cast<double>(batch) / static_cast<double>(batches);
    auto end = static_cast<double>(options_.max_epochs);
    if (options_.max_steps > 0)
      end =
          std::min(end, static_cast<double>(options_.max_steps * options_.accumulate_grad_batches) /
                            static_cast<double>(batches));
    if (!begun_) {
      begun_ = now;
      start_ = Clock::now();
      return "";
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return cat(", ", clock_text(seconds / (now - *begun_) * std::max(0.0, end - now)), " left");
  }

 private:
  using Clock = std::chrono::steady_clock;
  const TrainOptions& options_;
  Clock::time_point start_;
  std::optional<double> begun_;
};

TrainObserver make_observer(Session& session, const TrainOptions& options, TrainingReport& report,
                            std::optional<Progress>& bar) {
  TrainObserver observer;
  observer.on_batch = [&bar, &options, run = RunTime(options)](
                          std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                          double loss) mutable {
    if (!bar)
      bar.emplace(cat("Epoch ", epoch + 1, "/", options.max_epochs), batches, stderr_screen(),
                  batch - 1);
    bar->update(batch,
                [&] { return cat("loss ", fixed(loss, 4), run.left(epoch, batch, batches)); });
  };
  observer.on_step = [&report](const StepMetrics& m) { report.on_step(m); };
  observer.on_epoch = [&session, &report, &bar, &options](const EpochMetrics& m, double seconds) {
    bar.reset();
    report.on_epoch(m);
    report.keep(restore_project(session));
    log_epoch(m, options.max_epochs, seconds);
  };
  observer.stop_requested = InterruptGuard::requested;
  return observer;
}

struct Scores {
  double train_loss = 0, train_accuracy = 0, validation_loss = 0, validation_accuracy = 0;
  Metrics test;
};

Result<Scores> score(const Session& session, const TrainOutcome& outcome,
                     const TrainOptions& options) {
  Scores scores;
  for (const EpochMetrics& m : outcome.history)
    if (m.epoch == outcome.best_epoch) {
      scores.train_loss = m.train_loss;
      scores.train_accuracy = m.train_accuracy;
      scores.validation_loss = m.validation_loss;
      scores.validation_accuracy = m.validation_accuracy;
    }
  CH_TRY(scores.test,
         evaluate(outcome.best, session.data.test, evaluation_options(options, session.data)));
  return scores;
}

Table score_table(const Session& session, const Scores& s) {
  Table table{.columns = {{labelled(session.data, "Split"), Align::Left, 0, "split"},
                          {"Rows", Align::Right, 0, "rows"},
                          {"Loss", Align::Right, 0, "loss"},
                          {"Accuracy", Align::Right, 0, "accuracy"}},
              .rows = {}};
  table.rows.push_back(
      {"train", session.data.train.rows(), Cell(s.train_loss, 4), Cell(s.train_accuracy, 4)});
  table.rows.push_back({"validation", session.data.validation.rows(), Cell(s.validation_loss, 4),
                        Cell(s.validation_accuracy, 4)});
  table.rows.push_back({"test", s.test.rows, Cell(s.test.loss, 4), Cell(s.test.accuracy(), 4)});
  return table;
}

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::Completed:
      return "completed";
    case Ending::EarlyStopped:
      return "early_stopped";
    case Ending::Interrupted:
      break;
  }
  return "interrupted";
}

Tree tree_of(const Session& session, const TrainOutcome& outcome,
             const std::optional<Scores>& scores, double seconds) {
  const auto figures = [](double loss, double accuracy) {
    return Tree(Tree::Table{{"loss", loss}, {"accuracy", accuracy}});
  };
  return Tree::Table{
      {"model", session.model_name},
      {"dataset", session.data.name},
      {"synthetic", session.data.synthetic},
      {"parameters", session.graph.parameter_count()},
      {"epochs", outcome.history.size()},
      {"steps", outcome.steps},
      {"seconds", seconds},
      {"best_epoch", outcome.best_epoch},
      {"ending", name_of(outcome.ending)},
      {"train", scores ? figures(scores->train_loss, scores->train_accuracy) : Tree()},
      {"validation",
       scores ? figures(scores->validation_loss, scores->validation_accuracy) : Tree()},
      {"test", scores ? figures(scores->test.loss, scores->test.accuracy()) : Tree()},
      {"history", tree_of(history_table(outcome.history))},
      {"checkpoints", session.checkpoints().string()}};
}

Result<Exit> finish(const Invocation& invocation, const Session& session,
                    const TrainOutcome& outcome, const TrainOptions& options, double seconds) {
  std::optional<Scores> scores;
  if (outcome.ending != Ending::Interrupted && outcome.best_epoch >= 0) {
    CH_TRY(scores, score(session, outcome, options));
    if (prints_text(invocation))
      invocation.out << cat("Best epoch ", outcome.best_epoch + 1, " of ", outcome.history.size(),
                            ":\n")
                     << shown(invocation, score_table(session, *scores));
    log_info(cat("Best checkpoint: ", (session.checkpoints() / "best.ckpt").string()));
  }
  CH_CHECK(write_json(invocation, tree_of(session, outcome, scores, seconds)));
  if (outcome.ending == Ending::Interrupted) {
    // A warning, so that --quiet shows it: without --project nothing else names the folder.
    log_warning(cat("Interrupted after step ", outcome.steps, "; the same command with `--project ",
                    session.project.filename().string(), " --resume`",
                    invocation.settings.has("load_name") ? ", without --load," : "",
                    " continues from ", (session.checkpoints() / "last.ckpt").string()));
    return Exit::Interrupted;
  }
  if (outcome.ending == Ending::EarlyStopped)
    log_info(
        cat("Stopped early: no better validation loss for ", counted(options.patience, "epoch")));
  log_info(cat("Training is completed in ", fixed(seconds, 2), " s"));
  return Exit::Done;
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const bool resumes = settings.flag("resume");
  if (resumes && settings.has("load_name"))
    return Error{.what =
                     "--resume and --load exclude each other: a run that is resumed goes on "
                     "with its own weights",
                 .hint = "leave --load away to go on, or --resume to begin a new run"};
  CH_TRY(Session session, open_session(invocation));
  CH_CHECK(open_project(session, settings,
                        {.area = "training_ckpts",
                         .purpose = "`ch train`",
                         .also = kTensorboardFolder,
                         .continues = resumes ? "last.ckpt" : ""}));
  TrainOptions options = train_options(settings);
  options.checkpoints = session.checkpoints();
  std::optional<Checkpoint> resume;
  if (resumes) {
    CH_TRY(resume, find_interrupted(session, settings));
  }
  options.transformed = session.transformed;
  log_info(cat("Training model '", session.model_name, "'..."));
  const InterruptGuard guard;
  CH_TRY(const std::unique_ptr<Trainer> trainer,
         Trainer::prepare(session.graph, session.data, options, resume ? &*resume : nullptr));
  // Everything is ready: only now is anything written.
  CH_TRY(TrainingReport report, TrainingReport::open(session.software(), settings));
  for (const char* earlier : {"best.ckpt", "last.ckpt"})
    if (!resume) CH_CHECK(set_aside(options.checkpoints / earlier));
  std::optional<Progress> bar;
  const auto start = std::chrono::steady_clock::now();
  Result<TrainOutcome> outcome = trainer->run(make_observer(session, options, report, bar));
  bar.reset();
  const std::string title = labelled(session.data, session.model_name);
  if (!outcome) {
    CH_CHECK(report.finish(title));
    return std::move(outcome).error();
  }
  CH_CHECK(report.finish(title, outcome.value().history));
  const auto epochs = static_cast<std::int64_t>(outcome.value().history.size());
  if (resume && epochs > options.max_epochs)
    log_warning(cat("nothing was left to train: the run that is resumed has done ",
                    counted(epochs, "epoch"), ", --max-epochs is ", options.max_epochs));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return finish(invocation, session, outcome.value(), options, taken.count());
}

}  // namespace

ActionDef define() {
  return {.name = "train",
          .usage = "ch train [MODEL] [DATASET] [options]",
          .summary = "train a network, validating after each epoch",
          .details =
              "  ch train jsc-tiny jsc --max-epochs 20 --batch-size 256 --learning-rate 1e-3\n"
              "  ch train --config my_network.toml\n"
              "Ctrl-C stops after the step and saves; --resume continues to the same bits.",
          .positionals = {"model", "dataset"},
          .required = {"model", "dataset"},
          .groups = {SettingGroup::Task, SettingGroup::Data, SettingGroup::Model,
                     SettingGroup::Training, SettingGroup::Checkpoints, SettingGroup::Machine,
                     SettingGroup::Output},
          .run = run};
}

}  // namespace chop::cli::actions::train
