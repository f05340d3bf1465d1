// One training step of a network: forward, backward and Adam.
#pragma once

#include <memory>
#include <vector>

#include "train/optimiser.hpp"
#include "train/program.hpp"

namespace chop {

class TrainingStep {
 public:
  static Result<std::shared_ptr<TrainingStep>> make(const Graph& graph, std::int64_t batch,
                                                    int threads);
  void run();

 private:
  explicit TrainingStep(ParameterStore store) : store_(std::move(store)) {}
  void fill();

  ParameterStore store_;
  std::unique_ptr<Program> program_;
  const OptimiserDef* adam_ = nullptr;
  OptimiserSettings settings_;
  std::vector<Tensor> slots_;
  std::int64_t number_ = 0;
};

}  // namespace chop
