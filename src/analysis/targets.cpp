#include "analysis/targets.hpp"

#include "analysis/operands.hpp"
#include "compat/mase_names.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::analysis {
namespace {

constexpr std::size_t kMostListed = 20;

std::vector<std::string> present_types(const Graph& graph) {
  std::vector<std::string> types;
  for (const NodeId id : graph.order())
    if (std::string type = mase_op(graph.node(id));
        std::find(types.begin(), types.end(), type) == types.end())
      types.push_back(std::move(type));
  return types;
}

Status check_target(const Graph& graph, const Args& args, std::string_view argument,
                    const std::string& name, std::vector<std::string>& notes) {
  if (args.text("by") == "name") {
    if (graph.find(name)) return {};
    std::vector<std::string> names;
    for (const NodeId id : graph.order()) names.push_back(graph.node(id).name);
    return args.wrong(argument, cat("there is no node '", name, "'"),
                      cat(did_you_mean(name, names),
                          names.size() <= kMostListed
                              ? cat("the nodes are ", join(names, ", "))
                              : cat("`ch pass report_node_type` lists all ", names.size())));
  }
  const std::vector<std::string> types = present_types(graph);
  if (std::find(types.begin(), types.end(), name) != types.end()) return {};
  if (find_op(name)) {
    notes.push_back(cat(argument, ": the network has no node of type ", name));
    return {};
  }
  return args.wrong(argument, cat("there is no node of type '", name, "'"),
                    cat(did_you_mean(name, types), "the types in this network are ",
                        join(types, ", "), "; for names of nodes say by = \"name\""));
}

}  // namespace

Result<std::vector<NodeId>> chosen_nodes(const Graph& graph, const Args& args,
                                         std::string_view argument,
                                         std::vector<std::string>& notes) {
  const std::vector<std::string> wanted = args.names(argument);
  for (const std::string& name : wanted) CH_CHECK(check_target(graph, args, argument, name, notes));
  const bool by_name = args.text("by") == "name";
  std::vector<NodeId> found;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (std::find(wanted.begin(), wanted.end(), by_name ? node.name : mase_op(node)) !=
        wanted.end())
      found.push_back(id);
  }
  return found;
}

}  // namespace chop::analysis
