// How good a network is on a split: loss, accuracy, and what it takes for what.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "data/dataset.hpp"
#include "train/parameter_store.hpp"
#include "train/program.hpp"

namespace chop::train {

struct Metrics {
  double loss = 0;  ///< mean cross entropy over rows
  std::int64_t rows = 0;
  std::int64_t correct = 0;
  std::int64_t classes = 0;
  std::vector<std::int64_t> confusion;  ///< [true class][predicted class], if asked for

  double accuracy() const {
    return rows == 0 ? 0 : static_cast<double>(correct) / static_cast<double>(rows);
  }
};

struct EvaluateOptions {
  std::int64_t batch = 128;
  int threads = 1;
  bool confusion = false;
  std::int64_t most_batches = 0;  ///< 0: all
  Parameters parameters = Parameters::Change;
  std::function<bool()> stop_requested = {};  ///< asked now and then, perhaps by a worker thread
};

/// Plans for one split, kept so that every epoch can use them again.
class Evaluator {
 public:
  static Result<Evaluator> make(const Graph& graph, ParameterStore& store, const Split& split,
                                const EvaluateOptions& options);
  Metrics run();

 private:
  /// What the batches of a run come to.
  struct Tally;
  Status prepare(const Graph& graph, ParameterStore& store);
  void run_batch(std::int64_t batch, Program& program, Tally& tally) const;
  std::int64_t batches() const;

  const Split* split_ = nullptr;
  EvaluateOptions options_;
  std::vector<Program> programs_;  ///< for full batches: one, or one for every thread
  std::optional<Program> rest_;    ///< for the last batch when it is smaller
};

/// Batches larger than the training's where samples are small: fewer, fuller products.
std::int64_t evaluation_batch(const Shape& sample, std::int64_t training_batch);

/// Adds what the program that just ran takes for what: [true class][predicted class].
void count_confusion(const Program& program, std::vector<std::int64_t>& confusion);

/// Builds what it needs and judges once.
Result<Metrics> evaluate(const Graph& graph, const Split& split, const EvaluateOptions& options);

/// The split has rows, their shape fits the graph's input, its labels fit its classes.
Status check_fits(const Graph& graph, const Split& split, std::int64_t classes);
Status check_fits(const Graph& graph, std::initializer_list<const Split*> splits,
                  std::int64_t classes);

}  // namespace chop::train
