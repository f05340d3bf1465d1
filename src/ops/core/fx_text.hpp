// Graphs and layers as PyTorch prints them: str(fx_graph) and the repr of a module.
//
// fx records a call's arguments as they were passed. OpDef::fx says how a function's are:
// positional ones, then keywords, separated by ", ":
//
//   x, x0, x1     an input (None when there is none)
//   xs, *xs       all inputs as a list; all inputs one by one
//   dim           an attribute; left out when it is not set; one whole number for a list of one
//   (shape)       the same as a tuple, however long
//   dim=dim       a keyword, set or not
//   dtype=None    a keyword and a constant
//
// Methods take their input, then the attributes that are set; required lists are spread:
// x.view(-1, 16).
#pragma once

#include "ir/graph.hpp"

namespace chop::ops {

/// str(fx_graph) of a verified graph, without a final newline.
std::string fx_text(const Graph& graph);

/// "Linear(in_features=16, out_features=5, bias=True)": the layer of a call_module node.
/// The one place that decides what a layer is called, number formats and all.
std::string layer_repr(const Node& node);
/// Its class alone: "Linear", or "LinearInteger" when an operand has a number format.
std::string layer_class(const Node& node);

}  // namespace chop::ops
