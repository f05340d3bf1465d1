#include "analysis/common_metadata.hpp"

#include "analysis/operands.hpp"
#include "compat/mase_names.hpp"
#include "ops/core/registry.hpp"

namespace chop::analysis {
namespace {

/// Arguments of a function or method that are not tensors, under their names.
Attrs constants_of(const Node& node) {
  if (node.opcode != Opcode::CallFunction && node.opcode != Opcode::CallMethod) return {};
  const OpDef& op = op_of(node);
  Attrs constants;
  for (const Field& def : op.attrs)
    if (const auto given = node.attrs.find(std::string(def.name));
        given != node.attrs.end() && !def.internal)
      constants.insert(*given);
  return constants;
}

CommonMeta common_of(const Graph& graph, NodeId id, const Types& types) {
  const Node& node = graph.node(id);
  CommonMeta meta{
      .mase_type = mase_type(node), .mase_op = mase_op(node), .constants = constants_of(node)};
  if (node.opcode != Opcode::Output)
    for (const Operand& operand : operands_of(graph, id, types))
      if (!operand.is_buffer()) meta.args[operand.name] = describe(operand);
  for (const Operand& result : results_of(graph, id, types))
    meta.results[result.name] = describe(result);
  return meta;
}

}  // namespace

Status describe_nodes(Graph& graph, std::int64_t batch) {
  CH_TRY(const Types types, infer_types(graph, batch));
  for (const NodeId id : graph.order()) graph.node(id).meta.common = common_of(graph, id, types);
  return {};
}

std::int64_t described_batch(const Graph& graph, std::int64_t otherwise) {
  for (const NodeId id : graph.placeholders()) {
    const auto& common = graph.node(id).meta.common;
    if (!common) continue;
    const auto found = common->results.find("data_out_0");
    if (found != common->results.end() && !found->second.shape.empty())
      return found->second.shape.front();
  }
  return otherwise;
}

}  // namespace chop::analysis
