// The loop of a training: for each epoch, for each batch: forward, loss and gradients, then a step
// of the optimiser; after the epoch, validation. The parts stand in loop/: batches (batch_runner),
// learning rate (schedule), parameter_update, what is counted (progress_state), when it is saved
// (checkpoint_writer).
#include "train/trainer.hpp"

#include <chrono>

#include "ir/fixed_batch.hpp"
#include "support/text.hpp"
#include "train/loop/batch_runner.hpp"
#include "train/loop/checkpoint_writer.hpp"
#include "train/loop/parameter_update.hpp"
#include "train/loop/schedule.hpp"

namespace chop::train {
namespace {

class TrainLoop final : public Trainer {
 public:
  TrainLoop(const Graph& graph, const Dataset& data, const TrainOptions& options,
            ParameterStore store, const OptimiserDef& optimiser)
      : data_(data),
        options_(options),
        training_(begin_training(graph, std::move(store), optimiser, options.transformed,
                                 recorded_name(data))),
        schedule_{.start = options.settings.learning_rate,
                  .end = options.eta_min.value_or(optimiser.least_learning_rate),
                  .period = options.t_max > 0 ? options.t_max : options.max_epochs},
        runner_(data.train, {.batch_size = options.batch_size,
                             .most_batches = options.most_batches,
                             .seed = options.seed,
                             .threads = options.threads}),
        update_(training_, options_.settings, options.accumulate_grad_batches, options.threads),
        checkpoints_(options_, data) {}

  Status prepare(const Checkpoint* resume) {
    CH_CHECK(runner_.compile(training_.graph, training_.store));
    CH_TRY(Evaluator evaluator, Evaluator::make(training_.graph, &training_.store, data_.validation,
                                                evaluation_options(options_, data_)));
    evaluator_.emplace(std::move(evaluator));
    training_.depends_on_processor =
        runner_.depends_on_processor() || evaluator_->depends_on_processor();
    if (resume == nullptr) return {};
    const EpochSize epoch{runner_.batches(), data_.train.rows()};
    CH_CHECK(restore(training_, *resume, checkpoints_.fingerprint(), epoch));
    if (state_.best_epoch >= 0) checkpoints_.best_changed();
    return {};
  }

  Result<TrainOutcome> run(const TrainObserver& observer) override {
    observer_ = &observer;
    Ending ending = Ending::Completed;
    checkpoints_.start();
    const bool goes_on = !is_over();
    while (!is_over()) {
      Result<bool> whole = run_epoch();
      if (!whole) {
        CH_CHECK(checkpoints_.save_best(training_));
        return std::move(whole).error();
      }
      if (whole.value()) {
        CH_CHECK(finish_epoch());
        if (is_over()) break;
      }
      if (!whole.value() || stop_requested()) {
        ending = Ending::Interrupted;
        break;
      }
      if (checkpoints_.is_due_after_epoch(state_.step)) CH_CHECK(checkpoints_.save_last(training_));
    }
    // A run that was over may have been killed between its last.ckpt and its best.ckpt.
    CH_CHECK(goes_on ? checkpoints_.save_last(training_) : checkpoints_.save_best(training_));
    return outcome_of(training_, is_out_of_patience() ? Ending::EarlyStopped : ending);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool stop_requested() const { return observer_->stop_requested && observer_->stop_requested(); }
  bool is_out_of_steps() const {
    return options_.max_steps >= 0 && state_.step >= options_.max_steps;
  }
  bool is_out_of_patience() const {
    return options_.patience > 0 && state_.bad_epochs >= options_.patience;
  }
  bool is_over() const {
    return state_.finished || state_.epoch >= options_.max_epochs || is_out_of_steps();
  }
  double learning_rate() const { return schedule_.at(state_.epoch); }

  /// False when asked to stop before the epoch's last batch.
  Result<bool> run_epoch() {
    epoch_start_ = Clock::now();
    const bool is_last = state_.epoch + 1 >= options_.max_epochs;
    runner_.start_epoch(state_.epoch, state_.batch,
                        is_last ? BatchRunner::Last::Yes : BatchRunner::Last::No);
    const std::int64_t count = runner_.batches();
    while (state_.batch < count && !is_out_of_steps()) {
      CH_TRY(const StepMetrics metrics, run_batch());
      if (observer_->on_batch) observer_->on_batch(state_.epoch, state_.batch, count, metrics.loss);
      update_.add_batch();
      if (!update_.is_full() && state_.batch < count) continue;
      update_.step(++state_.step, learning_rate());
      report_step(metrics);
      if (state_.batch == count || is_out_of_steps()) break;
      if (stop_requested()) return false;
      if (checkpoints_.is_due_after_step(state_.step)) CH_CHECK(checkpoints_.save_last(training_));
    }
    return true;
  }

  /// The next batch, forward and backward.
  Result<StepMetrics> run_batch() {
    CH_TRY(const Program* const ran, runner_.run(state_.batch));
    const Program& program = *ran;
    const double loss = program.loss();
    if (!std::isfinite(loss))
      return Error{.what = cat("the loss is ", exact(loss), " at epoch ", state_.epoch + 1,
                               ", batch ", state_.batch + 1),
                   .hint = "try a smaller --learning-rate"};
    const std::int64_t correct = program.correct();
    state_.add_batch(loss, correct, program.batch());
    return StepMetrics{
        .loss = loss,
        .accuracy = static_cast<double>(correct) / static_cast<double>(program.batch())};
  }

  void report_step(StepMetrics metrics) const {
    if (!observer_->on_step ||
        state_.step % std::max<std::int64_t>(1, options_.log_every_n_steps) != 0)
      return;
    metrics.step = state_.step;
    metrics.learning_rate = learning_rate();
    observer_->on_step(metrics);
  }

  Status finish_epoch() {
    CH_TRY(const Metrics validation, evaluator_->run());
    const EpochMetrics metrics = state_.end_epoch(learning_rate(), validation);
    if (metrics.is_best) {
      training_.store.write_to(training_.best);
      checkpoints_.best_changed();
    }
    const std::chrono::duration<double> seconds = Clock::now() - epoch_start_;
    if (observer_->on_epoch) observer_->on_epoch(metrics, seconds.count());
    if (is_out_of_patience()) state_.finished = true;
    return {};
  }

  const Dataset& data_;
  const TrainOptions options_;
  Training training_;
  ProgressState& state_ = training_.state;
  CosineSchedule schedule_;
  BatchRunner runner_;
  ParameterUpdate update_;
  CheckpointWriter checkpoints_;
  std::optional<Evaluator> evaluator_;
  const TrainObserver* observer_ = nullptr;  ///< of run()
  Clock::time_point epoch_start_;
};

}  // namespace

EvaluateOptions evaluation_options(const TrainOptions& options, const Dataset& data) {
  return {.batch = evaluation_batch(data.sample_shape, options.batch_size),
          .threads = options.threads,
          .most_batches = options.most_batches};
}

Result<std::unique_ptr<Trainer>> Trainer::prepare(const Graph& graph, const Dataset& data,
                                                  const TrainOptions& options,
                                                  const Checkpoint* resume) {
  if (options.batch_size < 1)
    return Error{.what = cat("a batch of ", options.batch_size, " rows cannot be run")};
  if (resume != nullptr) CH_CHECK(check_same_network(graph, resume->graph));
  const Graph& start = resume == nullptr ? graph : resume->graph;
  CH_CHECK(check_fits(start, {&data.validation, &data.train}, data.num_classes));
  if (const auto fixed = fixed_batch(start); fixed && *fixed != options.batch_size)
    return Error{.what = cat("the network takes ", counted(*fixed, "row"),
                             " at a time, and a batch has ", options.batch_size),
                 .hint = cat("--batch-size ", *fixed, ", or an ONNX file whose batch is open")};
  CH_TRY(const OptimiserDef* optimiser, find_optimiser(options.optimiser));
  CH_TRY(ParameterStore store, ParameterStore::from(start));
  auto loop = std::make_unique<TrainLoop>(start, data, options, std::move(store), *optimiser);
  CH_CHECK(loop->prepare(resume));
  return std::unique_ptr<Trainer>(std::move(loop));
}

Result<TrainOutcome> train_network(const Graph& graph, const Dataset& data,
                                   const TrainOptions& options, const TrainObserver& observer,
                                   const Checkpoint* resume) {
  CH_TRY(const std::unique_ptr<Trainer> trainer, Trainer::prepare(graph, data, options, resume));
  return trainer->run(observer);
}

}  // namespace chop::train
