// One training step of a network: forward, backward and Adam.
#pragma once

#include <memory>
#include <vector>

#include "train/optimiser.hpp"
#include "train/program.hpp"
#include "work.hpp"

namespace chop {

class TrainingStep {
 public:
  static Result<std::shared_ptr<TrainingStep>> make(const Graph& graph, std::int64_t batch,
                                                    int threads);
  void run();
  /// The same; returns the seconds of each part: the steps of the plan by name, then "adam".
  Numbers run_timed();

 private:
  explicit TrainingStep(ParameterStore store) : store_(std::move(store)) {}
  void fill();
  void update();

  ParameterStore store_;
  std::unique_ptr<Program> program_;
  const OptimiserDef* adam_ = nullptr;
  OptimiserSettings settings_;
  std::vector<Tensor> slots_;
  std::int64_t number_ = 0;
  int threads_ = 1;
};

}  // namespace chop
