#include "train/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "data/loader.hpp"
#include "support/text.hpp"
#include "train/progress_state.hpp"

namespace chop {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Trainer {
 public:
  Trainer(const Graph& graph, const Dataset& data, const TrainOptions& options,
          const TrainObserver& observer, ParameterStore store, const OptimiserDef& optimiser)
      : graph_(graph),
        data_(data),
        options_(options),
        observer_(observer),
        store_(std::move(store)),
        optimiser_(optimiser),
        order_(data.train.rows(), options.batch_size, options.seed) {
    for (std::size_t i = 0; i < optimiser.slots.size(); ++i)
      slots_.emplace_back(DType::F32, Shape{static_cast<std::int64_t>(store_.values().size())});
    if (options.accumulate_grad_batches > 1)
      accumulated_ = Tensor(DType::F32, {static_cast<std::int64_t>(store_.values().size())});
  }

  Status prepare(const Checkpoint* resume) {
    const std::int64_t batch = std::min(options_.batch_size, data_.train.rows());
    CH_TRY(Program full, Program::training(graph_, store_, batch, options_.threads));
    programs_.push_back(std::move(full));
    if (const std::int64_t rest = data_.train.rows() % batch;
        rest != 0 && options_.most_batches == 0) {
      CH_TRY(Program last, Program::training(graph_, store_, rest, options_.threads));
      programs_.push_back(std::move(last));
    }
    const EvaluateOptions evaluation{
        .batch = evaluation_batch(data_.sample_shape, options_.batch_size),
        .threads = options_.threads,
        .most_batches = options_.most_batches};
    CH_TRY(Evaluator evaluator, Evaluator::make(graph_, store_, data_.validation, evaluation));
    evaluator_.emplace(std::move(evaluator));
    if (resume != nullptr) CH_CHECK(restore(*resume));
    return {};
  }

  Result<TrainOutcome> run() {
    TrainOutcome outcome;
    if (state_.best_epoch < 0) best_ = graph_;
    last_save_ = Clock::now();
    while (!state_.finished && state_.epoch < options_.max_epochs && !out_of_steps()) {
      CH_TRY(const bool whole, run_epoch());
      if (!whole) {
        CH_CHECK(save_last());
        outcome.ending = Ending::Interrupted;
        break;
      }
      CH_CHECK(finish_epoch());
      if (options_.patience > 0 && state_.bad_epochs >= options_.patience) state_.finished = true;
      if (due_at_epoch_end() || state_.finished || state_.epoch == options_.max_epochs ||
          out_of_steps())
        CH_CHECK(save_last());
    }
    if (options_.patience > 0 && state_.bad_epochs >= options_.patience)
      outcome.ending = Ending::EarlyStopped;
    outcome.last = graph_;
    store_.write_to(outcome.last);
    outcome.best = state_.best_epoch < 0 ? outcome.last : best_;
    outcome.best_epoch = state_.best_epoch;
    outcome.best_loss = state_.best_loss;
    outcome.history = state_.history;
    outcome.steps = state_.step;
    return outcome;
  }

 private:
  bool out_of_steps() const { return options_.max_steps >= 0 && state_.step >= options_.max_steps; }

  std::int64_t batches() const {
    return options_.most_batches > 0 ? std::min(options_.most_batches, order_.batches())
                                     : order_.batches();
  }

  double learning_rate() const {
    const double end = options_.eta_min.value_or(optimiser_.least_learning_rate);
    const std::int64_t period = options_.t_max > 0 ? options_.t_max : options_.max_epochs;
    const double start = options_.settings.learning_rate;
    return start <= end ? start : cosine_learning_rate(start, end, state_.epoch, period);
  }

  /// False when asked to stop before the epoch's last batch.
  Result<bool> run_epoch() {
    epoch_start_ = Clock::now();
    order_.start_epoch(static_cast<std::uint64_t>(state_.epoch));
    const std::int64_t count = batches();
    std::int64_t pending = 0;
    while (state_.batch < count && !out_of_steps()) {
      CH_TRY(const double loss, run_batch(order_.batch(state_.batch)));
      ++state_.batch;
      ++pending;
      if (observer_.on_batch) observer_.on_batch(state_.epoch, state_.batch, count, loss);
      if (options_.accumulate_grad_batches > 1) accumulate(pending == 1);
      if (pending < options_.accumulate_grad_batches && state_.batch < count) continue;
      update(pending);
      pending = 0;
      report_step(loss);
      if (state_.batch == count) break;
      if (observer_.stop_requested && observer_.stop_requested()) return false;
      if (due_in_epoch()) CH_CHECK(save_last());
    }
    return true;
  }

  Result<double> run_batch(std::span<const std::uint32_t> rows) {
    auto& program = static_cast<std::int64_t>(rows.size()) == programs_[0].batch()
                        ? programs_[0]
                        : programs_.back();
    gather(data_.train, rows, program.inputs().data(), program.targets().data());
    // The position in the run, not the optimiser's step: accumulated batches differ too.
    const auto position =
        static_cast<std::uint64_t>(state_.epoch * order_.batches() + state_.batch);
    program.run({options_.seed, position});
    const double loss = program.loss();
    if (!std::isfinite(loss))
      return Error{.what = cat("the loss is ", exact(loss), " at epoch ", state_.epoch, ", batch ",
                               state_.batch),
                   .hint = "try a smaller --learning-rate; the last checkpoint is kept"};
    last_correct_ = program.correct();
    last_rows_ = program.batch();
    state_.loss_sum += loss * static_cast<double>(last_rows_);
    state_.correct += last_correct_;
    state_.rows += last_rows_;
    return loss;
  }

  void accumulate(bool first) {
    const auto sum = accumulated_.mutable_data<float>();
    const auto gradients = store_.gradients();
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] = first ? gradients[i] : sum[i] + gradients[i];
  }

  void update(std::int64_t pending) {
    const auto gradients = store_.gradients();
    if (options_.accumulate_grad_batches > 1) {
      // As Lightning: each batch's loss is divided by the whole number asked for.
      static_cast<void>(pending);
      const float share = 1.0F / static_cast<float>(options_.accumulate_grad_batches);
      const auto sum = accumulated_.data<float>();
      for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] = sum[i] * share;
    }
    ++state_.step;
    OptimiserStep step{.values = store_.values(),
                       .gradients = gradients,
                       .slots = {},
                       .number = state_.step,
                       .learning_rate = learning_rate(),
                       .settings = options_.settings};
    for (Tensor& slot : slots_) step.slots.push_back(slot.mutable_data<float>());
    optimiser_.step(step);
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
    const EpochMetrics metrics{.epoch = state_.epoch,
                               .step = state_.step,
                               .learning_rate = learning_rate(),
                               .train_loss = state_.loss_sum / rows,
                               .train_accuracy = static_cast<double>(state_.correct) / rows,
                               .validation_loss = validation.loss,
                               .validation_accuracy = validation.accuracy()};
    state_.history.push_back(metrics);
    const bool better = validation.loss < state_.best_loss;
    state_.bad_epochs = better ? 0 : state_.bad_epochs + 1;
    if (better) {
      state_.best_loss = validation.loss;
      state_.best_epoch = state_.epoch;
      best_ = graph_;
      store_.write_to(best_);
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

  Status save_last() {
    if (options_.checkpoints.empty()) return {};
    if (best_unsaved_) {
      CH_CHECK(save_checkpoint(options_.checkpoints / "best.ckpt", {best_, best_info(), {}}));
      best_unsaved_ = false;
    }
    Checkpoint checkpoint{graph_, to_info(state_, fingerprint(options_, data_)), {}};
    store_.write_to(checkpoint.graph);
    for (std::size_t i = 0; i < slots_.size(); ++i)
      for (auto& named : store_.split(slots_[i].data<float>(), slot_prefix(i)))
        checkpoint.extra.push_back(std::move(named));
    if (state_.best_epoch >= 0)
      for (const Parameter& parameter : best_.parameters())
        checkpoint.extra.emplace_back("best/" + parameter.name, parameter.value);
    CH_CHECK(save_checkpoint(options_.checkpoints / "last.ckpt", checkpoint));
    last_save_ = Clock::now();
    return {};
  }

  std::map<std::string, std::string> best_info() const {
    return {{"chop.epoch", std::to_string(state_.best_epoch)},
            {"chop.validation_loss", exact(state_.best_loss)}};
  }

  std::string slot_prefix(std::size_t slot) const {
    return cat("optimizer/", optimiser_.slots[slot], "/");
  }

  Status restore(const Checkpoint& from) {
    CH_TRY(state_, from_info(from.info, fingerprint(options_, data_)));
    if (state_.batch > batches())
      return Error{.what = "the checkpoint's epoch has more batches than this data set"};
    const std::map<std::string, Tensor> extra(from.extra.begin(), from.extra.end());
    for (std::size_t i = 0; i < slots_.size(); ++i)
      CH_CHECK(store_.join(slots_[i].mutable_data<float>(), extra, slot_prefix(i)));
    if (state_.best_epoch < 0) return {};
    best_ = graph_;
    for (Parameter& parameter : best_.parameters()) {
      const auto found = extra.find("best/" + parameter.name);
      if (found == extra.end() || found->second.type() != parameter.value.type())
        return Error{.what = cat("the checkpoint holds no usable 'best/", parameter.name, "'")};
      parameter.value = found->second;
    }
    best_unsaved_ = true;
    return {};
  }

  Graph graph_;
  const Dataset& data_;
  const TrainOptions& options_;
  const TrainObserver& observer_;
  ParameterStore store_;
  const OptimiserDef& optimiser_;
  BatchOrder order_;
  std::vector<Program> programs_;
  std::optional<Evaluator> evaluator_;
  std::vector<Tensor> slots_;
  Tensor accumulated_;
  ProgressState state_;
  Graph best_;
  bool best_unsaved_ = false;
  std::int64_t last_correct_ = 0;
  std::int64_t last_rows_ = 1;
  Clock::time_point last_save_;
  Clock::time_point epoch_start_;
};

}  // namespace

Result<TrainOutcome> train(const Graph& graph, const Dataset& data, const TrainOptions& options,
                           const TrainObserver& observer, const Checkpoint* resume) {
  CH_CHECK(check_fits(graph, data.train, data.num_classes));
  CH_CHECK(check_fits(graph, data.validation, data.num_classes));
  CH_TRY(const OptimiserDef* optimiser, find_optimiser(options.optimiser));
  const Graph& start = resume == nullptr ? graph : resume->graph;
  CH_TRY(ParameterStore store, ParameterStore::from(start));
  Trainer trainer(start, data, options, observer, std::move(store), *optimiser);
  CH_CHECK(trainer.prepare(resume));
  return trainer.run();
}

}  // namespace chop
