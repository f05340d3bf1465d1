// How good a network is on a split: loss, accuracy, and what it takes for what.
#pragma once

#include <functional>

#include "data/dataset.hpp"
#include "support/system/batches.hpp"
#include "train/tally.hpp"

namespace chop::train {

struct EvaluateOptions {
  std::int64_t batch = 128;
  int threads = 1;
  bool confusion = false;
  std::int64_t most_batches = 0;              ///< 0: all
  std::function<bool()> stop_requested = {};  ///< asked now and then, perhaps by a worker thread
};

/// Plans for one split, kept so that every epoch can use them again.
class Evaluator {
 public:
  /// The split outlives it. With a store, reads its parameters as they are at each run; with null
  /// the graph's own, which makes quicker plans.
  static Result<Evaluator> make(const Graph& graph, ParameterStore* store, const Split& split,
                                const EvaluateOptions& options);
  Result<Metrics> run();
  bool depends_on_processor() const;  ///< as that of plans

 private:
  Status compile(const Graph& graph, ParameterStore* store);

  const Split* split_ = nullptr;
  EvaluateOptions options_;
  Batches batches_;
  std::vector<Program> programs_;  ///< for full batches: one, or one for every thread
  std::optional<Program> rest_;    ///< for the last batch when it is smaller
};

/// Batches larger than the training's where samples are small: fewer, fuller products.
std::int64_t evaluation_batch(const Shape& sample, std::int64_t training_batch);

/// How many batches are quickly evaluated: all (0), or as many as hold 2^23 numbers (ten thousand
/// images of MNIST) where the split has more.
std::int64_t quick_batches(const Split& split, std::int64_t batch);

/// Compiles what it needs and evaluates once.
Result<Metrics> evaluate(const Graph& graph, const Split& split, const EvaluateOptions& options);

/// The split has rows, their shape fits the graph's input, its labels fit its classes.
Status check_fits(const Graph& graph, const Split& split, std::int64_t classes);
Status check_fits(const Graph& graph, std::initializer_list<const Split*> splits,
                  std::int64_t classes);

}  // namespace chop::train
