// Runners measure a candidate: software runners run the network, hardware runners look at it.
// The file src/search/runners/<name>.cpp defines `RunnerDef define()` in namespace
// chop::search::runners::<name>; that is its registration.
#pragma once

#include <functional>

#include "config/args.hpp"
#include "search/space/candidate.hpp"

namespace chop::search {

using MetricValues = std::map<std::string, double>;

/// What runners may use; all of it outlives them.
struct RunnerContext {
  const Graph& graph;  ///< as the search starts from it
  const Dataset& data;
  std::vector<NodeId> searched;  ///< nodes whose formats change from trial to trial
  std::int64_t batch_size = 128;
  std::int64_t most_batches = 0;  ///< evaluated on so many; 0: all
  int workers = 1;
  int threads = 1;         ///< of each worker
  bool reporting = false;  ///< trials report intermediate values
};

/// How a trial is observed and ended while it runs.
struct RunHooks {
  int worker = 0;
  /// Takes the metrics so far; true: the trial is pruned and ends here. May be empty.
  std::function<bool(std::int64_t step, const MetricValues& so_far)> report = {};
  std::function<bool()> stop_requested = {};
};

class Runner {
 public:
  virtual ~Runner() = default;
  /// Called by several workers at once, each with a number of its own.
  virtual Result<MetricValues> run(Candidate& candidate, const RunHooks& hooks) = 0;
};

struct RunnerDef {
  std::string_view name;
  bool hardware = false;
  std::string_view doc;  ///< one clause, lower-case, no final period
  std::vector<std::pair<std::string_view, std::string_view>> metrics;  ///< names and what they are
  std::vector<Field> args = {};
  Result<std::unique_ptr<Runner>> (*make)(const RunnerContext& context, const Args& args) = nullptr;
  /// Of runners that train: what its arguments say about how, where the space says nothing.
  Status (*configure)(const Args& args, TrainOptions& options) = nullptr;
};

std::span<const RunnerDef> all_runners();
Result<const RunnerDef*> find_runner(std::string_view name, bool hardware);

/// The argument that says which rows a software runner evaluates on, and those rows.
Field data_loader_argument();
Result<const Split*> rows_of(const Dataset& data, const Args& args);

}  // namespace chop::search
