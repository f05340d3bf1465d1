// Nodes chosen by arguments: lists of names or of types, as the argument `by` says.
#pragma once

#include "config/args.hpp"
#include "ir/graph.hpp"

namespace chop::analysis {

/// The nodes that the list `argument` names, in the graph's order. A name or type that does not
/// exist is an error with the nearest one; a known op the graph has not is added to `notes`.
Result<std::vector<NodeId>> chosen_nodes(const Graph& graph, const Args& args,
                                         std::string_view argument,
                                         std::vector<std::string>& notes);

}  // namespace chop::analysis
