// add_software_metadata: an empty entry for the statistics of every operand and result.
#include "analysis/operands.hpp"
#include "passes/pass_def.hpp"

namespace chop::passes::add_software_metadata {
namespace {

/// Keeps statistics that exist; drops entries of operands that no longer do.
std::map<std::string, OperandStats> entries(const std::vector<Operand>& operands,
                                            const std::map<std::string, OperandStats>& before) {
  std::map<std::string, OperandStats> found;
  for (const Operand& operand : operands) {
    const auto old = before.find(operand.name);
    found[operand.name] = old == before.end() ? OperandStats{} : old->second;
  }
  return found;
}

Result<PassOutput> run(Graph& graph, const Args& /*args*/, const PassContext& context) {
  CH_TRY(const Types types, infer_types(graph, context.batch_size));
  for (const NodeId id : graph.order()) {
    Metadata& meta = graph.node(id).meta;
    const SoftwareMeta before = meta.software.value_or(SoftwareMeta{});
    meta.software = SoftwareMeta{.args = entries(operands_of(graph, id, types), before.args),
                                 .results = entries(results_of(graph, id, types), before.results)};
  }
  return PassOutput{};
}

}  // namespace

PassDef define() {
  return {.name = "add_software_metadata",
          .doc = "make room for the statistics of every operand and result",
          .run = run};
}

}  // namespace chop::passes::add_software_metadata
