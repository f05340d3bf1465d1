// Constant folding: calls whose operands are parameters, or folded calls, run once when the plan is
// made, and not with every batch.
//
//   %fc.weight = get_attr[target=fc.weight]
//   %fc_weight_quantized = quantize(%fc.weight)        # constant
//   %fc = linear(%x, %fc_weight_quantized)
//
// Nothing moves: the plan computes what is marked ahead. Calls that draw random numbers draw others
// in each run, and are not folded. Nor are calls whose results are far larger than the parameters
// they read: a small file must not ask for gigabytes that are kept (expand of one number to [30000,
// 30000]).
#include "compile/call_facts.hpp"
#include "compile/heads.hpp"
#include "compile/step_def.hpp"
#include "support/text.hpp"

namespace chop::compile::steps::constants {
namespace {

/// What folded calls may take together: so much, and so many times the bytes of the parameters.
constexpr std::size_t kFreeBytes = std::size_t{64} << 20;
constexpr std::size_t kBytesPerByte = 8;

std::size_t bytes_of(const std::vector<TensorType>& types) {
  std::size_t bytes = 0;
  for (const TensorType& type : types) bytes += type.bytes();
  return bytes;
}

Status run(State& state) {
  const Graph& graph = state.graph;
  std::size_t budget = kFreeBytes;
  for (const Parameter& parameter : graph.parameters())
    budget += kBytesPerByte * parameter.value.size_in_bytes();
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (!is_call(graph, id) || node.inputs.empty()) continue;
    if (is_random(graph, *state.types, id)) continue;
    if (!std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](const Value& input) { return is_constant(state, input.node); }))
      continue;
    const std::size_t bytes = bytes_of((*state.types)[index(id)]);
    if (bytes > budget) {
      state.remarks.push_back(
          {"constants", cat("'", node.name, "' is computed in every run: folded it would take ",
                            human_bytes(bytes))});
      continue;
    }
    budget -= bytes;
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
