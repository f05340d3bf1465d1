// What the reference system calls the nodes of a graph.
#pragma once

#include "ir/graph.hpp"

namespace chop::compat {

/// "linear", "placeholder", "output": what it calls the op.
std::string mase_op(const Node& node);
/// "module_related_func", "placeholder", ...
std::string mase_type(const Node& node);

}  // namespace chop::compat
