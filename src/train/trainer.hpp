// The training loop: epochs of shuffled batches, validation after each, checkpoints that a
// killed run continues from to the same bits as if it had never stopped.
#pragma once

#include <filesystem>
#include <functional>

#include "data/dataset.hpp"
#include "io/checkpoint.hpp"
#include "train/evaluate.hpp"
#include "train/train_options.hpp"

namespace chop::train {

struct EpochMetrics {
  std::int64_t epoch = 0;  ///< counts from 0
  std::int64_t step = 0;   ///< optimiser steps so far
  double learning_rate = 0;
  double train_loss = 0;
  double train_accuracy = 0;
  double validation_loss = 0;
  double validation_accuracy = 0;
  bool is_best = false;  ///< the least validation loss so far
};

struct StepMetrics {
  std::int64_t step = 0;
  double learning_rate = 0;
  double loss = 0;
  double accuracy = 0;
};

/// What the caller hears of a running training; every member may be empty.
struct TrainObserver {
  std::function<void(std::int64_t epoch, std::int64_t batch, std::int64_t batches, double loss)>
      on_batch;
  std::function<void(const StepMetrics&)> on_step;  ///< every log_every_n_steps
  std::function<void(const EpochMetrics&, double seconds)> on_epoch;
  std::function<bool()> stop_requested;  ///< asked after every optimiser step
};

enum class Ending : std::uint8_t { Completed, EarlyStopped, Interrupted };

struct TrainOutcome {
  Graph last;
  Graph best;  ///< weights of the epoch with the least validation loss
  std::int64_t best_epoch = -1;
  double best_loss = std::numeric_limits<double>::infinity();
  std::vector<EpochMetrics> history;
  std::int64_t steps = 0;
  Ending ending = Ending::Completed;
};

/// How a network is evaluated that is trained so.
EvaluateOptions evaluation_options(const TrainOptions& options, const Dataset& data);

/// Trains a copy of a graph, in two steps, so that the caller can open its files in between.
class Trainer {
 public:
  /// Checks and compiles everything; writes nothing. With `resume`, continues the run that wrote
  /// that checkpoint; an error when its settings were others. The data outlives the trainer.
  static Result<std::unique_ptr<Trainer>> prepare(const Graph& graph, const Dataset& data,
                                                  const TrainOptions& options,
                                                  const Checkpoint* resume = nullptr);
  virtual ~Trainer() = default;

  /// To be called once. A loss that is not finite ends with an error.
  virtual Result<TrainOutcome> run(const TrainObserver& observer) = 0;
};

/// prepare() and run() at once.
Result<TrainOutcome> train_network(const Graph& graph, const Dataset& data,
                                   const TrainOptions& options, const TrainObserver& observer,
                                   const Checkpoint* resume = nullptr);

}  // namespace chop::train
