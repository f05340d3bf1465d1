// From a graph to a plan, through named steps: the one way to get something that runs.
//
//   lower > loss > gradients > prune > fuse > slices > quantise_early > constants > codes > chains
//         > layout > plan
//
// Each is a file of compile/defs. Debug builds and ch lower verify the graph after each.
#pragma once

#include "compile/step_def.hpp"

namespace chop::compile {

/// What one step came to.
struct StepTrace {
  std::string_view name;
  bool applied = false;  ///< there was something to do for the target
  double seconds = 0;
};

/// Watches a compilation.
struct Trace {
  std::vector<StepTrace> steps = {};
};

struct Compiled {
  Plan plan;
  Lowered lowered;          ///< what the values of the graph became
  std::string labels = {};  ///< the placeholder for labels, with Target::loss
  std::vector<Remark> remarks = {};
};

Result<Compiled> compile_graph(const Graph& graph, const Target& target, const Memory& memory = {},
                               Trace* trace = nullptr);

/// The steps up to and with `last`, for those who want to see what they did.
Result<State> compile_until(const Graph& graph, const Target& target, const StepDef& last,
                            Trace* trace = nullptr);

}  // namespace chop::compile
