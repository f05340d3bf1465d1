// count_nodes: how many nodes there are of each op.
#include "passes/pass_def.hpp"

namespace chop::passes::count_nodes {
namespace {

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& /*context*/) {
  std::map<std::string, std::int64_t> counts;
  for (const NodeId id : graph.order()) ++counts[graph.node(id).op];
  PassOutput output;
  output.info = Tree::table();
  for (const auto& [op, count] : counts) {
    if (count < args.integer("least")) continue;
    output.text += cat(op, " ", count, "\n");
    output.info.set(op, count);
  }
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "count_nodes",
          .doc = "count the nodes of each op",
          .args = {{.name = "least",
                    .initial = 1,
                    .doc = "leave out rarer ops",
                    .bounds = {.least = 1}}},
          .run = run,
          .samples = {{}, {.args = Tree::Table{{"least", 2}}}}};
}

}  // namespace chop::passes::count_nodes
