#include "train/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>

#include "data/feeder.hpp"
#include "data/loader.hpp"
#include "support/text.hpp"
#include "train/training_checkpoint.hpp"

namespace chop::train {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Trainer {
 public:
  Trainer(const Graph& graph, const Dataset& data, const TrainOptions& options,
          const TrainObserver& observer, ParameterStore store, const OptimiserDef& optimiser)
      : data_(data),
        options_(options),
        observer_(observer),
        training_{.graph = graph,
                  .store = std::move(store),
                  .optimiser = optimiser,
                  .slots = {},
                  .best = graph,
                  .transformed = options.transformed},
        order_(data.train.rows(), options.batch_size, options.seed),
        gatherer_(data.train) {
    const Shape shape = {static_cast<std::int64_t>(store_.values().size())};
    for (std::size_t i = 0; i < optimiser.slots.size(); ++i)
      training_.slots.emplace_back(DType::F32, shape);
    if (options.accumulate_grad_batches > 1) accumulated_ = Tensor(DType::F32, shape);
  }

  Status prepare(const Checkpoint* resume) {
    const std::int64_t batch = std::min(options_.batch_size, data_.train.rows());
    CH_TRY(Program full, Program::training(training_.graph, store_, batch, options_.threads));
    programs_.push_back(std::move(full));
    if (const std::int64_t rest = data_.train.rows() % batch;
        rest != 0 && batches() == order_.batches()) {
      Result<Program> last = Program::training(training_.graph, store_, rest, options_.threads);
      if (!last)
        return std::move(last).error().note(cat("the last batch of an epoch has ", rest, " of the ",
                                                data_.train.rows(),
                                                " rows; another --batch-size leaves another rest"));
      programs_.push_back(std::move(last).value());
    }
    const EvaluateOptions evaluation{
        .batch = evaluation_batch(data_.sample_shape, options_.batch_size),
        .threads = options_.threads,
        .most_batches = options_.most_batches};
    CH_TRY(Evaluator evaluator,
           Evaluator::make(training_.graph, store_, data_.validation, evaluation));
    evaluator_.emplace(std::move(evaluator));
    prepare_step();
    if (worth_feeding()) feeder_.emplace(gatherer_, order_, batch);
    if (!options_.checkpoints.empty() || resume != nullptr)
      // Reading all data takes a moment, and nobody waits for it before the first checkpoint.
      fingerprint_ =
          std::async(options_.threads > 1 ? std::launch::async : std::launch::deferred, [this] {
            return fingerprint(options_, data_);
          }).share();
    if (resume == nullptr) return {};
    const EpochSize epoch{batches(), data_.train.rows()};
    CH_CHECK(restore(training_, *resume, fingerprint_.get(), epoch));
    best_unsaved_ = state_.best_epoch >= 0;
    return {};
  }

  Result<TrainOutcome> run() {
    TrainOutcome outcome;
    last_save_ = Clock::now();
    const bool goes_on = !over();
    while (!over()) {
      Result<bool> whole = run_epoch();
      if (!whole) {
        CH_CHECK(save_best());
        return std::move(whole).error();
      }
      if (!whole.value()) {
        outcome.ending = Ending::Interrupted;
        break;
      }
      CH_CHECK(finish_epoch());
      if (options_.patience > 0 && state_.bad_epochs >= options_.patience) state_.finished = true;
      if (over()) break;
      if (stop_requested()) {
        outcome.ending = Ending::Interrupted;
        break;
      }
      if (due_at_epoch_end()) CH_CHECK(save_last());
    }
    if (goes_on) CH_CHECK(save_last());
    if (options_.patience > 0 && state_.bad_epochs >= options_.patience)
      outcome.ending = Ending::EarlyStopped;
    outcome.last = training_.graph;
    store_.write_to(outcome.last);
    outcome.best = state_.best_epoch < 0 ? outcome.last : training_.best;
    outcome.best_epoch = state_.best_epoch;
    outcome.best_loss = state_.best_loss;
    outcome.history = state_.history;
    outcome.steps = state_.step;
    return outcome;
  }

 private:
  bool stop_requested() const { return observer_.stop_requested && observer_.stop_requested(); }
  bool over() const {
    return state_.finished || state_.epoch >= options_.max_epochs || out_of_steps();
  }
  bool out_of_steps() const { return options_.max_steps >= 0 && state_.step >= options_.max_steps; }

  std::int64_t batches() const {
    return options_.most_batches > 0 ? std::min(options_.most_batches, order_.batches())
                                     : order_.batches();
  }

  double learning_rate() const {
    const double end = options_.eta_min.value_or(training_.optimiser.least_learning_rate);
    const std::int64_t period = options_.t_max > 0 ? options_.t_max : options_.max_epochs;
    const double start = options_.settings.learning_rate;
    return start <= end ? start : cosine_learning_rate(start, end, state_.epoch, period);
  }

  /// False when asked to stop before the epoch's last batch.
  Result<bool> run_epoch() {
    epoch_start_ = Clock::now();
    if (feeder_) feeder_->stop();
    order_.start_epoch(static_cast<std::uint64_t>(state_.epoch),
                       options_.threads > 1 && state_.epoch + 1 < options_.max_epochs
                           ? BatchOrder::Ahead::Yes
                           : BatchOrder::Ahead::No);
    if (feeder_) feeder_->start(state_.batch);
    const std::int64_t count = batches();
    std::int64_t pending = 0;
    while (state_.batch < count && !out_of_steps()) {
      CH_TRY(const double loss, run_batch(order_.batch(state_.batch)));
      ++state_.batch;
      ++pending;
      if (observer_.on_batch) observer_.on_batch(state_.epoch, state_.batch, count, loss);
      if (options_.accumulate_grad_batches > 1) accumulate(pending == 1);
      if (pending < options_.accumulate_grad_batches && state_.batch < count) continue;
      update();
      pending = 0;
      report_step(loss);
      if (state_.batch == count || out_of_steps()) break;
      if (stop_requested()) return false;
      if (due_in_epoch()) CH_CHECK(save_last());
    }
    return true;
  }

  Result<double> run_batch(std::span<const std::uint32_t> rows) {
    auto& program = static_cast<std::int64_t>(rows.size()) == programs_[0].batch()
                        ? programs_[0]
                        : programs_.back();
    if (feeder_)
      feeder_->take(state_.batch, program.inputs().data(), program.targets().data());
    else
      gatherer_.gather(rows, program.inputs().data(), program.targets().data());
    // The position in the run, not the optimiser's step: accumulated batches differ too.
    const auto position =
        static_cast<std::uint64_t>(state_.epoch * order_.batches() + state_.batch);
    run_and_prefetch(program, {options_.seed, position});
    const double loss = program.loss();
    if (!std::isfinite(loss))
      return Error{.what = cat("the loss is ", exact(loss), " at epoch ", state_.epoch + 1,
                               ", batch ", state_.batch + 1),
                   .hint = "try a smaller --learning-rate"};
    last_correct_ = program.correct();
    last_rows_ = program.batch();
    state_.loss_sum += loss * static_cast<double>(last_rows_);
    state_.correct += last_correct_;
    state_.rows += last_rows_;
    return loss;
  }

  /// Worth another thread: many small batches of data that no core's own cache holds.
  bool worth_feeding() const {
    constexpr std::size_t kManyBytes = std::size_t{8} << 20;
    constexpr std::size_t kLargeBatch = std::size_t{1} << 20;
    constexpr std::int64_t kManyBatches = 64;
    const auto batch = static_cast<std::size_t>(options_.batch_size) * gatherer_.width();
    return options_.threads > 1 && gatherer_.bytes() > kManyBytes &&
           batch * sizeof(float) < kLargeBatch && batches() >= kManyBatches;
  }

  /// Memory answers a few requests at a time: the rows of the next batch are asked for in between
  /// the steps of this one.
  void run_and_prefetch(Program& program, RunState state) {
    if (feeder_ || state_.batch + 1 >= order_.batches()) return program.run(state);
    const std::span<const std::uint32_t> next = order_.batch(state_.batch + 1);
    const std::size_t steps = program.plan().step_count();
    const std::size_t each = (next.size() + steps - 1) / steps;
    program.run(state, [&](std::size_t step) {
      const std::size_t first = std::min(step * each, next.size());
      gatherer_.prefetch(next.subspan(first, std::min(each, next.size() - first)));
    });
  }

  void accumulate(bool first) {
    const auto sum = accumulated_.mutable_data<float>();
    const auto gradients = store_.gradients();
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] = first ? gradients[i] : sum[i] + gradients[i];
  }

  /// All but its number and learning rate stays the same for the whole run.
  void prepare_step() {
    step_.emplace(OptimiserStep{.values = store_.values(),
                                .gradients = store_.gradients(),
                                .slots = {},
                                .settings = options_.settings});
    for (Tensor& slot : training_.slots) step_->slots.push_back(slot.mutable_data<float>());
  }

  void update() {
    if (options_.accumulate_grad_batches > 1) {
      // As Lightning: each batch's loss is divided by the whole number asked for, also when
      // the epoch ends before there are as many.
      const auto gradients = store_.gradients();
      const float share = 1.0F / static_cast<float>(options_.accumulate_grad_batches);
      const auto sum = accumulated_.data<float>();
      for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] = sum[i] * share;
    }
    ++state_.step;
    step_->number = state_.step;
    step_->learning_rate = learning_rate();
    training_.optimiser.step(*step_);
  }

  void report_step(double loss) const {
    if (!observer_.on_step ||
        state_.step % std::max<std::int64_t>(1, options_.log_every_n_steps) != 0)
      return;
    observer_.on_step(
        {.step = state_.step,
         .learning_rate = learning_rate(),
         .loss = loss,
         .accuracy = static_cast<double>(last_correct_) / static_cast<double>(last_rows_)});
  }

  Status finish_epoch() {
    const Metrics validation = evaluator_->run();
    const auto rows = static_cast<double>(std::max<std::int64_t>(1, state_.rows));
    EpochMetrics metrics{.epoch = state_.epoch,
                         .step = state_.step,
                         .learning_rate = learning_rate(),
                         .train_loss = state_.loss_sum / rows,
                         .train_accuracy = static_cast<double>(state_.correct) / rows,
                         .validation_loss = validation.loss,
                         .validation_accuracy = validation.accuracy()};
    metrics.is_best = validation.loss < state_.best_loss;
    state_.history.push_back(metrics);
    state_.bad_epochs = metrics.is_best ? 0 : state_.bad_epochs + 1;
    if (metrics.is_best) {
      state_.best_loss = validation.loss;
      state_.best_epoch = state_.epoch;
      store_.write_to(training_.best);
      best_unsaved_ = true;
    }
    ++state_.epoch;
    state_.batch = 0;
    state_.loss_sum = 0;
    state_.correct = state_.rows = 0;
    if (observer_.on_epoch) observer_.on_epoch(metrics, seconds_since(epoch_start_));
    return {};
  }

  bool due_in_epoch() const {
    if (options_.checkpoints.empty()) return false;
    if (options_.checkpoint_every_n_steps > 0 &&
        state_.step % options_.checkpoint_every_n_steps == 0)
      return true;
    return options_.checkpoint_every_seconds > 0 &&
           seconds_since(last_save_) >= options_.checkpoint_every_seconds;
  }
  /// Epochs of milliseconds need not be written one by one; a second of work is worth keeping.
  bool due_at_epoch_end() const {
    return !options_.checkpoints.empty() && (due_in_epoch() || seconds_since(last_save_) >= 1.0);
  }

  Status save_best() {
    if (options_.checkpoints.empty() || !best_unsaved_) return {};
    CH_CHECK(save_checkpoint(options_.checkpoints / "best.ckpt", best_checkpoint(training_)));
    best_unsaved_ = false;
    return {};
  }

  Status save_last() {
    if (options_.checkpoints.empty()) return {};
    CH_CHECK(save_best());
    CH_CHECK(save_checkpoint(options_.checkpoints / "last.ckpt",
                             last_checkpoint(training_, fingerprint_.get())));
    last_save_ = Clock::now();
    return {};
  }

  const Dataset& data_;
  const TrainOptions& options_;
  const TrainObserver& observer_;
  Training training_;
  ParameterStore& store_ = training_.store;
  ProgressState& state_ = training_.state;
  BatchOrder order_;
  RowGatherer gatherer_;
  std::optional<BatchFeeder> feeder_;
  std::vector<Program> programs_;
  std::optional<Evaluator> evaluator_;
  Tensor accumulated_;
  std::shared_future<std::map<std::string, std::string>> fingerprint_;
  std::optional<OptimiserStep> step_;
  bool best_unsaved_ = false;
  std::int64_t last_correct_ = 0;
  std::int64_t last_rows_ = 1;
  Clock::time_point last_save_;
  Clock::time_point epoch_start_;
};

}  // namespace

Result<TrainOutcome> train_network(const Graph& graph, const Dataset& data,
                                   const TrainOptions& options, const TrainObserver& observer,
                                   const Checkpoint* resume) {
  CH_CHECK(check_fits(graph, data.validation, data.num_classes));
  if (options.batch_size < 1)
    return Error{.what = cat("a batch of ", options.batch_size, " rows cannot be run")};
  if (resume != nullptr) CH_CHECK(check_same_network(graph, resume->graph));
  CH_TRY(const OptimiserDef* optimiser, find_optimiser(options.optimiser));
  const Graph& start = resume == nullptr ? graph : resume->graph;
  CH_CHECK(check_fits(start, data.train, data.num_classes));
  CH_TRY(ParameterStore store, ParameterStore::from(start));
  Trainer trainer(start, data, options, observer, std::move(store), *optimiser);
  CH_CHECK(trainer.prepare(resume));
  if (observer.on_start) CH_CHECK(observer.on_start());
  return trainer.run();
}

}  // namespace chop::train
