// The training loop: epochs of shuffled batches, validation after each, checkpoints that a
// killed run continues from to the same bits as if it had never stopped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "io/checkpoint.hpp"
#include "train/evaluate.hpp"
#include "train/optimiser.hpp"

namespace chop::train {

struct TrainOptions {
  std::int64_t max_epochs = 20;
  std::int64_t max_steps = -1;  ///< optimiser steps; negative: no limit
  std::int64_t batch_size = 128;
  std::int64_t accumulate_grad_batches = 1;
  std::int64_t patience = 0;  ///< epochs without a better validation loss; 0: never stop early
  std::string optimiser = "adam";
  OptimiserSettings settings = {};
  std::int64_t t_max = 0;              ///< epochs of the cosine; 0: max_epochs
  std::optional<double> eta_min = {};  ///< where it ends; the optimiser's own if not given
  std::uint64_t seed = 0;
  int threads = 1;
  std::int64_t log_every_n_steps = 50;
  std::int64_t most_batches = 0;           ///< of each split, for a quick try; 0: all
  std::filesystem::path checkpoints = {};  ///< folder of best.ckpt and last.ckpt; empty: none
  std::int64_t checkpoint_every_n_steps = 0;
  double checkpoint_every_seconds = 30;
  bool transformed = false;  ///< passes made the graph: checkpoints say so
};

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
