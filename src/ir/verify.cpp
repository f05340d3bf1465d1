#include "ir/verify.hpp"

namespace chop::ir {

Status verify_structure(const Graph& graph) {
  std::vector<bool> defined(graph.id_limit(), false);
  bool ended = false;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (ended) return Error{.what = cat("node '", node.name, "' comes after the output")};
    if (!is_call(node.opcode) && node.op != name_of(node.opcode))
      return Error{.what = cat("node '", node.name, "' is a ", name_of(node.opcode),
                               ", which cannot have the op '", node.op, "'")};
    if ((node.opcode == Opcode::Placeholder || node.opcode == Opcode::GetAttr) &&
        !node.inputs.empty())
      return Error{.what = cat("node '", node.name, "' is a ", name_of(node.opcode),
                               ", which cannot have inputs")};
    for (const Value& input : node.inputs)
      if (index(input.node) >= defined.size() || !defined[index(input.node)])
        return Error{.what =
                         cat("node '", node.name, "' reads a value that is not defined before it")};
    if (node.opcode == Opcode::CallModule && node.target.empty())
      return Error{.what = cat("module node '", node.name, "' has no target")};
    ended = node.opcode == Opcode::Output;
    defined[index(id)] = true;
  }
  if (!ended) return Error{.what = cat("graph '", graph.name(), "' has no output")};
  return {};
}

}  // namespace chop::ir
