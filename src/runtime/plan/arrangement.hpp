// How a plan whose parameters stay as they are runs a graph: what is computed once, which calls
// run as one chain, how images lie in memory, and which values are kept as bytes.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ops/core/infer.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime {

/// A call and those that finish its result on the spot. All of them run when `at` is reached.
struct Chain {
  NodeId head;
  std::vector<NodeId> tail = {};
  NodeId at = head;
};

struct Arrangement {
  std::set<NodeId> constants;  ///< calls whose operands never change
  std::vector<Chain> chains;
  std::set<Value> inside;                ///< values that never reach memory
  std::set<Value> channels_last;         ///< images that lie so
  std::set<NodeId> channels_last_calls;  ///< calls that take and give images so
  std::set<NodeId> conversions;          ///< `identity` calls that change the layout
  std::map<Value, DType> coded;          ///< fixed-point values kept as their codes: I8 or U8
  bool exact = true;  ///< no rounding may change; false in graphs without formats

  Layout layout(Value value) const {
    return channels_last.contains(value) ? Layout::ChannelsLast : Layout::Dense;
  }
};

/// Puts values on grids before calls that pick some of them (pooling), where that is all that is
/// read of the result: bytes are then picked instead of floats, and fewer are written. Whether
/// anything changed.
bool quantise_early(Graph& graph, const Types& types, const std::set<Value>& seen);

/// Constants, bytes and chains. Values in `seen` are computed as they are, in float.
Arrangement find_chains(const Graph& graph, const Types& types, const std::set<Value>& seen);

/// Decides how images lie, and adds conversions to the graph, whose types are given, where calls
/// disagree. What the graph gives is dense.
Arrangement lay_out(Graph& graph, const Types& types, Arrangement arrangement);

/// A graph with the types and the arrangement it has for a number of rows.
struct Arranged {
  Graph graph;
  Types types;
  Arrangement arrangement;
};

/// All of the above. The graph gives the values in `seen`.
Result<Arranged> arrange(const Graph& graph, std::int64_t rows, const std::set<Value>& seen);

}  // namespace chop::runtime
