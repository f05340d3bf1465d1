// Evaluates many candidates of one network on the same rows, and computes again only what changed:
// values at a cut are kept where the formats before it come back, plans where a stage's do.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <unordered_set>

#include "search/evaluation/lru.hpp"
#include "search/evaluation/stages.hpp"
#include "train/evaluate.hpp"

namespace chop::search {

struct StagedOptions {
  std::int64_t rows = 0;      ///< the first ones; 0: all
  std::int64_t batch = 1024;  ///< at most so many at a time
  int workers = 1;            ///< who call run() at once
  int threads = 1;            ///< of each worker
  bool confusion = false;
  bool in_parts = false;                             ///< run() will be given an `on_part`
  std::size_t most_bytes = std::size_t{512} << 20U;  ///< for values, and as much for plans
};

class StagedEvaluator {
 public:
  /// `searched` are the nodes whose formats differ between candidates; the split outlives it.
  static Result<std::unique_ptr<StagedEvaluator>> make(const Graph& graph,
                                                       const std::vector<NodeId>& searched,
                                                       const Split& split,
                                                       const StagedOptions& options);

  /// Told the number of parts done and the metrics so far; true: stop.
  using OnPart = std::function<bool(std::int64_t part, const Metrics& so_far)>;

  /// Evaluates a candidate: the graph given to make() but for formats and what they learn. With
  /// `on_part` in a few parts one after the other.
  Result<Metrics> run(const Graph& candidate, int worker = 0, const OnPart& on_part = {});

  /// What was done so far.
  struct Work {
    std::int64_t stages_run = 0;
    std::int64_t stages_kept = 0;  ///< not run, because values were kept
    std::int64_t plans_made = 0;
  };
  Work work() const { return {stages_run_, stages_kept_, plans_made_}; }
  std::size_t stage_count() const { return stages_.size(); }

 private:
  /// Plans of a stage, one per lane.
  struct StagePlans;
  using Values = std::vector<float>;
  /// One call of run().
  struct Job;

  StagedEvaluator(std::vector<GraphStage> stages, const Split& split, const StagedOptions& options);
  Result<std::shared_ptr<StagePlans>> plans_for(const Graph& candidate, std::size_t stage,
                                                const std::string& key, int worker);
  void find_start(Job& job);
  Result<const Program*> run_batch(const Job& job, std::int64_t batch, std::size_t lane);
  void remember(Job& job, const Metrics& metrics);

  std::vector<GraphStage> stages_;
  const Split* split_;
  StagedOptions options_;
  Batches batches_;
  int lanes_ = 1;  ///< threads that run a batch each

  std::mutex mutex_;  ///< of the next three
  Lru<Values> values_;
  std::unordered_set<std::string> seen_;  ///< formats up to a cut that came once
  std::unordered_map<std::string, Metrics> known_;

  std::vector<Lru<StagePlans>> plans_;  ///< by worker
  std::atomic<std::int64_t> stages_run_ = 0, stages_kept_ = 0, plans_made_ = 0;
};

}  // namespace chop::search
