#include "compile/heads.hpp"

#include "compile/call_facts.hpp"

namespace chop::compile {

bool is_constant(const State& state, NodeId id) {
  return state.graph.node(id).opcode == Opcode::GetAttr || state.schedule.constants.contains(id);
}

bool can_head(const State& state, NodeId id, DType source) {
  const Node& node = state.graph.node(id);
  if (!is_call(state.graph, id) || state.refused.contains(id)) return false;
  if (is_constant(state, id) || node.inputs.empty()) return false;
  if ((*state.types)[index(id)].size() != 1 || is_constant(state, node.inputs[0].node))
    return false;
  if (!std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                   [&](const Value& input) { return is_constant(state, input.node); }))
    return false;
  std::vector<TensorType> in;
  const KernelCall call = describe_call(state.graph, *state.types, id, in);
  in[0].dtype = source;
  const std::vector<const KernelDef*> defs = kernels_of(call.op);
  return std::any_of(defs.begin(), defs.end(), [&](const KernelDef* def) {
    return def->heads_chain != nullptr && def->heads_chain(call);
  });
}

bool can_head_epilogue(const State& state, NodeId id) {
  const Node& node = state.graph.node(id);
  if (!is_call(state.graph, id) || may_head(state.graph, id) || is_constant(state, id))
    return false;
  if (node.inputs.empty() || is_constant(state, node.inputs[0].node)) return false;
  if (!std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                   [&](const Value& input) { return is_constant(state, input.node); }))
    return false;
  std::vector<TensorType> in;
  const KernelCall call = describe_call(state.graph, *state.types, id, in);
  if (in[0].dtype != DType::F32 || in[0].shape.size() != 2 || in[0] != call.out[0]) return false;
  const Epilogue epilogue = epilogue_of(call, 0);
  return !epilogue.empty() && epilogue[0].kind != EpilogueKind::Add;
}

}  // namespace chop::compile
