// A training: what it consists of, its outcome, and last.ckpt and best.ckpt of it, and back.
#pragma once

#include "io/checkpoint.hpp"
#include "train/loop/progress_state.hpp"
#include "train/optimiser.hpp"
#include "train/parameter_store.hpp"

namespace chop::train {

/// What a training consists of besides its settings.
struct Training {
  Graph graph;  ///< the network; the current weights are those of the store
  ParameterStore store;
  const OptimiserDef& optimiser;
  std::vector<Tensor> slots;  ///< the optimiser's state, laid out like the store
  ProgressState state = {};
  Graph best;                ///< weights of the best epoch, once there is one
  bool transformed = false;  ///< passes made the graph: checkpoints say so
  std::string dataset = {};  ///< its recorded_name()
  /// A plan of it does (runtime/plan.hpp): checkpoints name the vector instructions.
  bool depends_on_processor = false;
};

/// Before the first step: the optimiser's state is all zeros.
Training begin_training(const Graph& graph, ParameterStore store, const OptimiserDef& optimiser,
                        bool transformed, std::string dataset);
TrainOutcome outcome_of(const Training& training, Ending ending);

/// Weights, optimiser state, progress and the best weights: all it takes to go on.
Checkpoint last_checkpoint(const Training& training,
                           const std::map<std::string, std::string>& fingerprint);
/// The best weights with their epoch and validation loss.
Checkpoint best_checkpoint(const Training& training);

struct EpochSize {
  std::int64_t batches = 0;
  std::int64_t rows = 0;
};

/// Fills in what last_checkpoint() kept; the weights are already those of the checkpoint.
/// Counters larger than epochs of this size can give are an error.
Status restore(Training& training, const Checkpoint& from,
               const std::map<std::string, std::string>& fingerprint, EpochSize size);

}  // namespace chop::train
