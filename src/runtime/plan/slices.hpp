// Cutting a batch into slices that run one after the other, each through the whole network, so that
// what is alive at the same time stays in the caches.
#pragma once

#include <set>

#include "ops/core/infer.hpp"
#include "runtime/plan/plan.hpp"

namespace chop::runtime {

/// The rows that a frozen plan computes at a time, decided by shapes alone: all of the batch, or as
/// many as divide it and fit the caches where that is worth reading the parameters again. `types`
/// are those of the whole batch; the graph gives the values in `seen`. Outputs without rows, such
/// as a loss, leave the batch whole.
std::int64_t rows_at_once(const Graph& graph, const Types& types, std::int64_t batch,
                          const std::set<Value>& seen, const CompileOptions& options);

}  // namespace chop::runtime
