// Writes a graph as torch.fx does.
#include <set>

#include "ir/text/text.hpp"
#include "support/text.hpp"

namespace chop::ir {
namespace {

std::string value_name(const Graph& graph, const Value& value) {
  const std::string& name = graph.node(value.node).name;
  return value.index == 0 ? name : cat(name, ".", value.index);
}

/// fx formats arguments with str(), so texts have no quotes.
std::string argument(const Attr& attr) {
  if (const auto* text = std::get_if<std::string>(&attr)) return *text;
  return to_python(attr);
}

std::string call_arguments(const Graph& graph, const Node& node) {
  std::vector<std::string> args;
  for (const Value& input : node.inputs) args.push_back("%" + value_name(graph, input));
  std::vector<std::string> kwargs;
  // The settings of a module live in the module, not in the call.
  if (node.opcode != Opcode::CallModule)
    for (const auto& [name, attr] : node.attrs) kwargs.push_back(cat(name, ": ", argument(attr)));
  return cat("(args = (", join(args, ", "), args.size() == 1 ? ",)" : ")", ", kwargs = {",
             join(kwargs, ", "), "})");
}

std::string return_text(const Graph& graph, const Node& output) {
  std::vector<std::string> names;
  for (const Value& input : output.inputs) names.push_back(value_name(graph, input));
  if (names.empty()) return "return None";
  return names.size() == 1 ? "return " + names[0] : "return (" + join(names, ", ") + ")";
}

std::size_t user_count(const Graph& graph, NodeId id) {
  const std::vector<NodeId> users = graph.users(id);
  return std::set<NodeId>(users.begin(), users.end()).size();
}

}  // namespace

std::string print_fx(const Graph& graph, const FxArguments& arguments) {
  std::string text = "graph():";
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    text += "\n    ";
    if (node.opcode == Opcode::Output) {
      text += return_text(graph, node);
      continue;
    }
    text += cat("%", node.name, " : [num_users=", user_count(graph, id),
                "] = ", name_of(node.opcode), "[target=", node.target, "]");
    if (node.opcode != Opcode::Placeholder && node.opcode != Opcode::GetAttr)
      text += arguments ? arguments(graph, node) : call_arguments(graph, node);
  }
  return text;
}

}  // namespace chop::ir
