// Plans for training and for evaluation: a model with its loss, compiled for one batch size.
#pragma once

#include "compile/target.hpp"
#include "runtime/plan.hpp"
#include "train/parameter_store.hpp"

namespace chop::train {

/// A compiled batch of work: fill inputs() and targets(), run, read loss() and logits().
class Program {
 public:
  /// Forward, cross entropy (mean over the batch) and the gradients of all trainable
  /// parameters, which land in the store. Buffers in the store are updated.
  static Result<Program> training(const Graph& graph, ParameterStore& store, std::int64_t batch,
                                  int threads);
  /// Forward in evaluation mode and cross entropy. With a store it reads the parameters there, as
  /// they are at each run; without one the graph's own, and the plan is a frozen one.
  static Result<Program> evaluation(const Graph& graph, std::int64_t batch, int threads,
                                    ParameterStore* store = nullptr);

  std::int64_t batch() const { return batch_; }
  std::int64_t classes() const { return classes_; }
  std::span<float> inputs() const { return inputs_; }
  std::span<std::int64_t> targets() const { return targets_; }
  Status run(RunState state = {}) { return plan_.run(state); }
  /// Calls between(i) before step i of plan().
  template <class Between>
  Status run(RunState state, Between between) {
    return plan_.run(state, between);
  }
  /// Runs, and returns the seconds of each step of plan().
  Result<std::vector<double>> run_timed(RunState state = {}) { return plan_.run_timed(state); }
  double loss() const { return plan_.output(0)[0]; }
  std::span<const float> logits() const { return plan_.output(1); }
  /// How many rows have their largest logit at the target; the first wins among equals.
  std::int64_t correct() const;
  const Plan& plan() const { return plan_; }

 private:
  static Result<Program> make(const Graph& graph, ParameterStore* store,
                              const compile::Target& target);
  Plan plan_;
  std::span<float> inputs_;  ///< memory of the plan's
  std::span<std::int64_t> targets_;
  std::int64_t batch_ = 0;
  std::int64_t classes_ = 0;
};

/// Index of the first largest element.
std::int64_t argmax(std::span<const float> row);

}  // namespace chop::train
