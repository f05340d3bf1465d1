// What kernels say about the calls of a graph before a plan is made of it, and who reads what.
#pragma once

#include "ops/core/infer.hpp"
#include "runtime/kernel.hpp"

namespace chop::compile {

bool is_call(const Graph& graph, NodeId id);

/// What a call does: its op, and the relu that became part of it.
std::vector<std::string> ops_of(const Node& call);

/// The nodes that read each value, in order; a node that reads it twice appears twice.
using Readers = std::map<Value, std::vector<NodeId>>;
Readers readers_of(const Graph& graph);

/// What kernels are asked about a node; without operands' values. `in` must outlive the call.
KernelCall describe_call(const Graph& graph, const Types& types, NodeId id,
                         std::vector<TensorType>& in);

/// What a call does as part of an epilogue; nothing when it cannot be part of one.
Epilogue epilogue_of(const KernelCall& call, std::size_t from);

/// Whether each result of the node is one of the values of operand 0, chosen by their order.
bool selects_elements(const Graph& graph, const Types& types, NodeId id);
/// Whether its results lie among, or between, the values of operand 0.
bool keeps_range(const Graph& graph, const Types& types, NodeId id);

/// Whether the node may give other results in every run: its op is random, and draws numbers here.
bool is_random(const Graph& graph, const Types& types, NodeId id);

/// Whether the node's number format takes ordinary numbers to denormal ones, which then matter.
bool makes_denormals(const Graph& graph, const Types& types, NodeId id);

/// Whether the op of a node can be the head of a chain at all.
bool may_head(const Graph& graph, NodeId id);

/// The grid that a value is on, if it is a fixed-point one: its step is a power of two.
std::optional<Grid> grid_of(const Graph& graph, const Types& types, Value value);

/// Whether values on a grid that goes through zero are on it still after the op.
bool keeps_grid(const EpilogueOp& op);
/// Whether the node puts values on a grid that they are on already, so that nothing changes.
bool repeats_grid(const Graph& graph, const Types& types, NodeId id);

/// Whether the bytes of both layouts are the same, or there is but one.
bool is_layout_free(const Shape& shape);

}  // namespace chop::compile
