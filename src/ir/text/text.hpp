// The text form of graphs: for people, for golden files, for bug reports.
//
//   graph net {
//     parameter fc.weight: f32[2, 3]
//
//     %x = placeholder[target=x] {shape=[-1, 3]}
//     %fc = call_module[target=fc] linear(%x) {bias=false, in_features=3, out_features=2}
//     output(%fc)
//   }
//
// docs/ir-text.md has the grammar.
#pragma once

#include <functional>

#include "ir/graph.hpp"
#include "ir/limits.hpp"

namespace chop::ir {

struct PrintOptions {
  bool values = false;  ///< write the tensors' values, so that nothing is lost
  bool meta = true;     ///< write the nodes' metadata
  /// What is known of a node beyond the graph: a comment behind the node's line, or above a long
  /// one.
  std::function<std::string(NodeId)> note = {};
};

/// With values, read_text gives back the same graph to the last bit.
std::string print(const Graph& graph, const PrintOptions& options = {});

/// Tensors without values become zeros. The error says line, column and what was expected.
/// What is accepted passes verify_structure.
Result<Graph> read_text(std::string_view text, const ReadLimits& limits = {});

/// What fx writes behind the target of a call: "(args = (%x,), kwargs = {})".
using FxArguments = std::function<std::string(const Graph&, const Node&)>;

/// As Python prints the torch.fx graph: `str(fx_graph)`, without a final newline. This layer
/// knows no operator: without `arguments` all attributes are keywords (ops/core/fx_text.hpp knows).
std::string print_fx(const Graph& graph, const FxArguments& arguments = {});

}  // namespace chop::ir
