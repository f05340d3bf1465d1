// Optimisers: one file each in train/optimisers.
#pragma once

#include "runtime/shares.hpp"
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
  int threads = 1;

  /// Calls work(first, last) with shares of the parameters, each of which is updated by itself.
  template <class Work>
  void in_shares(Work work) const {
    constexpr std::int64_t kVector = 16;
    constexpr std::int64_t kLeastWork = std::int64_t{1} << 11;
    const auto count = static_cast<std::int64_t>(values.size());
    const int parts = runtime::worthwhile_parts(threads, count, kLeastWork);
    parallel_short(parts, [&](std::int64_t part) {
      const runtime::Share share = runtime::share_of(count, kVector, static_cast<int>(part), parts);
      work(static_cast<std::size_t>(share.begin), static_cast<std::size_t>(share.end));
    });
  }
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
