// Forward and backward over the shuffled batches of a split.
//
// The rows of a batch lie all over memory, so copying them means waiting for memory. Where that
// pays, another thread gathers batches ahead; otherwise the rows of the next batch are prefetched
// in between the steps of the plan that runs this one. Both give the same bits.
#pragma once

#include "data/feeder.hpp"
#include "data/loader.hpp"
#include "train/program.hpp"

namespace chop::train {

struct BatchOptions {
  std::int64_t batch_size = 1;
  std::int64_t most_batches = 0;  ///< of an epoch; 0: all
  std::uint64_t seed = 0;
  int threads = 1;
};

class BatchRunner {
 public:
  /// The split outlives it.
  BatchRunner(const Split& split, const BatchOptions& options);
  /// Plans for full batches and for a smaller last one; gradients land in the store.
  Status compile(const Graph& graph, ParameterStore& store);

  std::int64_t batches() const { return batches_; }  ///< of an epoch
  bool depends_on_processor() const;                 ///< as that of plans
  enum class Last : std::uint8_t { No, Yes };
  /// Shuffles for an epoch whose first batch to run is `first`; `last`: no other will follow.
  void start_epoch(std::int64_t epoch, std::int64_t first, Last last);
  /// Batch `batch` of that epoch; returns what ran it, with loss and logits. What is random depends
  /// on the seed, the epoch and the batch.
  Result<const Program*> run(std::int64_t batch);

 private:
  bool worth_feeding() const;
  Status run_and_prefetch(std::int64_t batch, Program& program, RunState state);

  BatchOptions options_;
  std::int64_t rows_;
  BatchOrder order_;
  RowGatherer gatherer_;
  std::int64_t batches_;
  std::int64_t epoch_ = 0;
  std::vector<Program> programs_;      ///< for full batches, and for a smaller last one
  std::optional<BatchFeeder> feeder_;  ///< last, so that it ends first
};

}  // namespace chop::train
