// What kernels say about the calls of a graph before a plan is made of it.
#pragma once

#include <optional>
#include <vector>

#include "ops/core/infer.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime {

bool is_call(const Graph& graph, NodeId id);

/// What kernels are asked about a node; without operands' values. `in` must outlive the call.
KernelCall describe_call(const Graph& graph, const Types& types, NodeId id,
                         std::vector<TensorType>& in);

/// The epilogue of a chain that stand for the call; none when it cannot be part of one.
Epilogue epilogue_of(const KernelCall& call, std::size_t from);

/// Whether each result of the node is one of the values of operand 0, chosen by their order.
bool picks(const Graph& graph, const Types& types, NodeId id);
/// Whether its results lie among, or between, the values of operand 0.
bool keeps_range(const Graph& graph, const Types& types, NodeId id);

/// Whether the op of a node can be the head of a chain at all.
bool may_head(const Graph& graph, NodeId id);

/// The grid that a value is on, if it is a fixed-point one.
std::optional<Grid> grid_of(const Graph& graph, const Types& types, Value value);

/// Whether the bytes of both layouts are the same, or there is but one.
bool is_layout_free(const Shape& shape);

}  // namespace chop::runtime
