// Dead code elimination: drops what no output, no gradient and no buffer needs.
//
//   %a = call_function relu(%x)
//   %b = call_function tanh(%x)
//   output(%b)
// =>
//   %b = call_function tanh(%x)
//   output(%b)
#include "compile/step_def.hpp"
#include "ops/core/registry.hpp"

namespace chop::compile::steps::prune {
namespace {

Status run(State& state) {
  Graph& graph = state.graph;
  const std::vector<Value> outputs = graph.outputs();
  std::vector<Value> kept = outputs;
  for (const auto& [value, memory] : state.placed) kept.push_back(value);
  for (const NodeId id : graph.order())
    if (graph.node(id).opcode == Opcode::CallFunction && is_training(graph.node(id)))
      for (const StateUpdate& update : op_of(graph.node(id)).updates)
        kept.push_back({id, update.output});
  std::erase_if(kept, [&](const Value& value) { return graph.node(value.node).name.empty(); });
  graph.set_outputs(std::move(kept));
  graph.drop_unused();
  graph.set_outputs(outputs);
  if (state.types) state.types->resize(graph.id_limit());  // what stays keeps its type
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "prune",
          .doc = "drop calls and reads of parameters that nothing needs",
          .after = "gradients",
          .run = run};
}

}  // namespace chop::compile::steps::prune
