// A network cut into stages, so that what many candidates have in common is computed once.
//
// A cut lies before a node whose formats are searched, where one value alone flows on. What
// flows through a cut depends on the formats before it and on nothing else.
#pragma once

#include "ops/core/infer.hpp"

namespace chop::search {

struct GraphStage {
  std::vector<NodeId> nodes;  ///< calls, in order
  Value input;                ///< what flows in
  Shape sample;               ///< its shape without the batch
};

/// At least one stage. A graph with several inputs, or whose values do not begin with the batch,
/// has no cuts.
Result<std::vector<GraphStage>> cut_into_stages(const Graph& graph,
                                                const std::vector<NodeId>& searched);

/// One stage as a graph: it reads a placeholder and returns what the next one reads, or the
/// graph's outputs. It has the parameters its nodes own.
Graph stage_graph(const Graph& graph, const std::vector<GraphStage>& stages, std::size_t number);

/// Tells apart what `graph` makes of a stage from what others with other formats do: formats
/// and the parameters that formats learn.
std::string stage_key(const Graph& graph, const GraphStage& stage);

}  // namespace chop::search
