// What must hold for any graph, whatever its ops mean.
#pragma once

#include "ir/graph.hpp"

namespace chop::ir {

/// Inputs are defined before they are read, names are unique and not empty, there is one
/// output node and it comes last, modules have a target.
Status verify_structure(const Graph& graph);

}  // namespace chop::ir
