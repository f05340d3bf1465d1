// Constant folding: calls whose operands are parameters, or folded calls, run once when the plan is
// made, and not with every batch.
//
//   %fc.weight = get_attr[target=fc.weight]
//   %fc_weight_quantized = quantize(%fc.weight)        # constant
//   %fc = linear(%x, %fc_weight_quantized)
//
// Nothing moves: the plan computes what is marked ahead. Calls that draw random numbers draw others
// in each run, and are not folded.
#include "compile/call_facts.hpp"
#include "compile/heads.hpp"
#include "compile/step_def.hpp"

namespace chop::compile::steps::constants {
namespace {

Status run(State& state) {
  const Graph& graph = state.graph;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (!is_call(graph, id) || node.inputs.empty()) continue;
    if (is_random(graph, *state.types, id)) continue;
    if (std::all_of(node.inputs.begin(), node.inputs.end(),
                    [&](const Value& input) { return is_constant(state, input.node); }))
      state.schedule.constants.insert(id);
  }
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "constants",
          .doc = "mark calls on parameters alone: they run once, when the plan is made",
          .after = "quantise_early",
          .applies = when_frozen,
          .needs_types = true,
          .run = run};
}

}  // namespace chop::compile::steps::constants
