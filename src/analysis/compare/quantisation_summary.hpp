// Which nodes carry number formats, as the reference system's two tables show it.
#pragma once

#include "ir/graph.hpp"
#include "report/table.hpp"

namespace chop::analysis {

/// "Linear", "relu", "x": what a node is called before formats are looked at.
std::string plain_type(const Node& node);
/// "LinearInteger" where operands carry formats, else plain_type().
std::string quantised_type(const Node& node);
bool is_quantised(const Node& node);

/// Ori name, New name, MASE_TYPE, Mase_OP, Original type, Quantized type, Changed: by node.
Table quantisation_table(const Graph& graph);
/// Original type, OP, Total, Changed, Unchanged: one row per type, upper case first.
Table quantisation_histogram(const Graph& graph);

}  // namespace chop::analysis
