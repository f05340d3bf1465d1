// Optimisers: one file each in train/optimisers.
#pragma once

#include "support/result.hpp"

namespace chop::train {

struct OptimiserSettings {
  double learning_rate = 1e-3;
  double weight_decay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double momentum = 0.9;
  bool nesterov = true;
};

/// One update of all parameters at once.
struct OptimiserStep {
  std::span<float> values;
  std::span<const float> gradients;
  std::vector<std::span<float>> slots;  ///< state arrays, as many as the optimiser has slots
  std::int64_t number = 1;              ///< counts from 1
  double learning_rate = 0;             ///< of this step, after the schedule
  const OptimiserSettings& settings;
};

struct OptimiserDef {
  std::string_view name;
  std::string_view doc;
  std::vector<std::string_view> slots;  ///< names of its state arrays, as in checkpoints
  void (*step)(const OptimiserStep&);
  double least_learning_rate = 0;  ///< where the cosine schedule ends by default
};

std::span<const OptimiserDef> all_optimisers();
Result<const OptimiserDef*> find_optimiser(std::string_view name);

}  // namespace chop::train
