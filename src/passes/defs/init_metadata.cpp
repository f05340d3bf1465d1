// init_metadata: removes all metadata that earlier passes wrote.
#include "passes/pass_def.hpp"

namespace chop::passes::init_metadata {
namespace {

Result<PassOutput> run(Graph& graph, const Args& /*args*/, const PassContext& /*context*/) {
  for (const NodeId id : graph.order()) graph.node(id).meta = {};
  return PassOutput{};
}

}  // namespace

PassDef define() {
  return {.name = "init_metadata", .doc = "empty the metadata of every node", .run = run};
}

}  // namespace chop::passes::init_metadata
