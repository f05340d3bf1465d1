// Types of every value of a graph, for one batch size.
#pragma once

#include "ops/core/op_def.hpp"

namespace chop::ops {

/// types[node id][result number]; empty for erased nodes and for the output node.
using Types = std::vector<std::vector<TensorType>>;

inline const TensorType& type_of(const Types& types, Value value) {
  return types[index(value.node)][value.index];
}

/// Types of one call node's results. Module nodes take their parameters from the graph.
Result<std::vector<TensorType>> infer_node(const Graph& graph, NodeId id, const Types& types);

/// Types of all values. The dimension -1 of a placeholder becomes `batch`. The error names
/// the node, its op and the shapes it was given.
Result<Types> infer_types(const Graph& graph, std::int64_t batch);

/// Everything a pass may rely on: structure, known ops, attributes, parameters, shapes.
Status verify(const Graph& graph);

}  // namespace chop::ops
