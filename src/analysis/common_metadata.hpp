// What the common metadata of a node says: its types, and the shapes of what it reads and makes.
#pragma once

#include <cstdint>

#include "ir/graph.hpp"

namespace chop::analysis {

/// Writes the common metadata of every node, for batches of that size.
Status describe_nodes(Graph& graph, std::int64_t batch);

/// The batch size the metadata speaks of, or `otherwise` where there is none.
std::int64_t described_batch(const Graph& graph, std::int64_t otherwise);

}  // namespace chop::analysis
