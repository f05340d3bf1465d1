// What must hold for any graph, whatever its ops mean.
#pragma once

#include "ir/graph.hpp"

namespace chop::ir {

/// Inputs are defined before they are read, there is one output node and it comes last, modules
/// have a target, placeholders and get_attr read nothing, and a node that is no call has its
/// opcode's name as op. (That names are unique and not empty is up to the Graph itself.)
Status verify_structure(const Graph& graph);

}  // namespace chop::ir
