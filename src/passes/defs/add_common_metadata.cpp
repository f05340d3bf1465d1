// add_common_metadata: type and op of every node; shape, dtype and precision of its operands.
//
// The reference system runs the network to learn its shapes; here they are inferred, so no
// data is needed and no running statistic moves.
#include <algorithm>

#include "ops/registry.hpp"
#include "passes/operands.hpp"
#include "passes/pass_def.hpp"

namespace chop::passes {
namespace {

/// Arguments of a function or method that are no tensors, under their names.
Attrs constants_of(const Node& node) {
  if (node.opcode != Opcode::CallFunction && node.opcode != Opcode::CallMethod) return {};
  const OpDef& op = op_of(node);
  Attrs constants;
  for (const AttrDef& def : op.attrs)
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

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  const std::int64_t batch =
      args.has("batch_size") ? args.integer("batch_size") : context.batch_size;
  CH_TRY(const Types types, infer_types(graph, batch));
  for (const NodeId id : graph.order()) graph.node(id).meta.common = common_of(graph, id, types);
  return PassOutput{};
}

}  // namespace

PassDef add_common_metadata() {
  return {.name = "add_common_metadata",
          .doc = "write down type, op, shapes and precisions of every node",
          .args = {{.name = "batch_size",
                    .kind = ArgKind::Integer,
                    .doc = "rows in the first dimension; the run's batch size when absent",
                    .bounds = {.least = 1}}},
          .run = run};
}

}  // namespace chop::passes
