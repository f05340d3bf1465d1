// How long each layer takes: the graph run as a plan, its steps mapped back to nodes.
#pragma once

#include "analysis/cost/cost.hpp"
#include "data/dataset.hpp"
#include "runtime/measure/counters.hpp"

namespace chop::analysis {

struct TimingOptions {
  std::int64_t batch = 1;
  int threads = 1;
  std::int64_t repeats = 0;        ///< timed runs; 0: as many as fit in `seconds`, at least 9 (3 of
                                   ///< networks that take more than a twentieth of a second)
  double seconds = 1.0;            ///< for the timed runs, when `repeats` is 0
  const Split* samples = nullptr;  ///< what is fed; null: normally distributed numbers
  std::uint64_t seed = 0;
  HardwareCounters* counters = nullptr;  ///< counted over as many runs again; null: not
  /// A network whose values take more memory is not run: all its times are NaN.
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();
};

/// One step of the plan: a node, or several that run as one.
struct LayerTime {
  std::vector<NodeId> nodes;       ///< in order; empty for a step that is no node's
  std::optional<NodeId> for_node;  ///< the node such a step rounds operands or results of
  std::string name;                ///< "seq_blocks_2 + seq_blocks_3"
  std::string op;                  ///< "linear + relu"
  std::string backend;             ///< of StepInfo
  double seconds = 0;              ///< the median
  double share = 0;                ///< of the sum over all steps
};

struct LayerTimes {
  std::vector<LayerTime> layers;
  std::int64_t repeats = 0;
  double run_seconds = 0;  ///< of a whole run, untimed inside: the median
  double spread = 0;  ///< the middle half of the whole runs lies within this share of the median
  std::size_t plan_bytes = 0;
  std::vector<CounterValue> counters = {};  ///< per run
  std::vector<std::string> remarks = {};    ///< what the compiler could not do

  double step_seconds() const;  ///< the sum over the steps
  /// Times that vary this much are those of a machine with other work to do.
  bool is_noisy() const { return repeats > 1 && spread > 0.25; }
};

/// Runs the graph in evaluation mode; the graph itself stays as it is.
Result<LayerTimes> time_layers(const Graph& graph, const TimingOptions& options);

/// What the nodes of a step cost together: what flows between them moves no bytes.
struct StepCost {
  std::int64_t macs = 0;
  std::int64_t operations = 0;  ///< exact
  std::int64_t bytes = 0;       ///< parameters and inputs read, outputs written
};
StepCost cost_of_step(const LayerTime& layer, const GraphCost& cost);

}  // namespace chop::analysis
