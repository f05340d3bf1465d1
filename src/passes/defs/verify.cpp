// verify: checks the graph, and that its metadata agrees with it.
#include "analysis/common_metadata.hpp"
#include "analysis/operands.hpp"
#include "compat/mase_names.hpp"
#include "ops/core/registry.hpp"
#include "passes/pass_def.hpp"
#include "support/text.hpp"

namespace chop::passes::verify {
namespace {

using TensorMetas = std::map<std::string, TensorMeta>;

Status compare(const Node& node, const std::vector<Operand>& operands, const TensorMetas& metas) {
  for (const Operand& operand : operands) {
    if (operand.is_buffer()) continue;
    const auto found = metas.find(operand.name);
    if (found == metas.end())
      return Error{.what = cat(node.name, ": the metadata does not mention ", operand.name)};
    const TensorMeta expected = describe(operand);
    if (found->second.shape != expected.shape)
      return Error{.what = cat(node.name, ".", operand.name, ": the metadata says shape ",
                               to_string(found->second.shape), ", the graph ",
                               to_string(expected.shape))};
    if (found->second.type != expected.type || found->second.precision != expected.precision)
      return Error{.what = cat(node.name, ".", operand.name, ": the metadata says ",
                               found->second.type, " ", to_string(found->second.precision),
                               ", the graph ", expected.type, " ", to_string(expected.precision))};
  }
  return {};
}

Status check_node(const Graph& graph, NodeId id, const Types& types) {
  const Node& node = graph.node(id);
  if (!node.meta.common) return {};
  const CommonMeta& common = *node.meta.common;
  if (common.mase_op != mase_op(node) || common.mase_type != mase_type(node))
    return Error{.what = cat(node.name, ": the metadata says ", common.mase_type, " ",
                             common.mase_op, ", the graph ", mase_type(node), " ", mase_op(node))};
  if (node.opcode != Opcode::Output)
    CH_CHECK(compare(node, operands_of(graph, id, types), common.args));
  return compare(node, results_of(graph, id, types), common.results);
}

Result<PassOutput> run(Graph& graph, const Args& /*args*/, const PassContext& context) {
  CH_CHECK(ops::verify(graph));
  CH_TRY(const Types types, infer_types(graph, described_batch(graph, context.batch_size)));
  std::int64_t described = 0;
  for (const NodeId id : graph.order()) {
    if (Status status = check_node(graph, id, types); !status) {
      Error error = std::move(status).error();
      error.hint = "run add_common_metadata again";
      return error;
    }
    if (graph.node(id).meta.common) ++described;
  }
  PassOutput output{.text = cat(counted(static_cast<std::int64_t>(graph.size()), "node"),
                                " verified, ", described, " of them with metadata that agrees\n")};
  output.info.set("nodes", graph.size());
  output.info.set("with_metadata", described);
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "verify",
          .doc = "check the graph, and that its metadata says what is true of it",
          .details =
              "Names are unique, inputs are defined before they are read, every op knows its\n"
              "attributes and parameters, shapes follow from one another; and the common metadata\n"
              "has the types, shapes and precisions the graph has.",
          .run = run};
}

}  // namespace chop::passes::verify
