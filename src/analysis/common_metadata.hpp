// The common metadata of a node: its type and op, and the shapes of its operands and results.
#pragma once

#include "ir/graph.hpp"

namespace chop::analysis {

/// Writes the common metadata of every node, for batches of that size.
Status describe_nodes(Graph& graph, std::int64_t batch);

/// The batch size of the metadata's shapes, or `otherwise` where there are none.
std::int64_t described_batch(const Graph& graph, std::int64_t otherwise);

}  // namespace chop::analysis
