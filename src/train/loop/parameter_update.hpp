// Gradients to new parameters: sums the gradients of several batches where that is asked for, then
// lets the optimiser make one step over all parameters.
#pragma once

#include "train/loop/training_checkpoint.hpp"

namespace chop::train {

class ParameterUpdate {
 public:
  /// A step after `accumulate` batches. Training and settings outlive it.
  ParameterUpdate(Training& training, const OptimiserSettings& settings, std::int64_t accumulate,
                  int threads = 1);

  /// Takes the gradients of one more batch, which are in the store.
  void add_batch();
  /// As many batches as make a step.
  bool is_full() const { return pending_ >= accumulate_; }
  /// Step `number`, which counts from 1, with what was added since the last one.
  void step(std::int64_t number, double learning_rate);

 private:
  const OptimiserDef& optimiser_;
  std::int64_t accumulate_;
  std::int64_t pending_ = 0;  ///< batches since the last step
  std::span<float> gradients_;
  Tensor sum_;          ///< of the gradients of several batches
  OptimiserStep step_;  ///< all but its number and learning rate stays the same
};

}  // namespace chop::train
