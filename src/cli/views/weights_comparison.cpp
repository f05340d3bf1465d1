#include "cli/views/weights_comparison.hpp"

#include "formats/registry.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

Tree::List numbers(const Tensor& tensor) {
  const auto values = tensor.data<float>();
  return {values.begin(), values.end()};
}

Status add_operand(ShownWeights& shown, const Graph& graph_before, const Graph& graph_after,
                   const NodeComparison& node, const std::string& operand) {
  CH_TRY(const EffectiveOperand before, effective_operand(graph_before, node.name, operand));
  CH_TRY(const EffectiveOperand after, effective_operand(graph_after, node.name, operand));
  const Shape& shape = before.effective.shape();
  if (shape != after.effective.shape())
    return Error{.what = cat(operand, " of ", node.name, " is ", to_string(shape), " before, ",
                             to_string(after.effective.shape()), " after"),
                 .hint = "rows of different lengths cannot stand side by side"};
  shown.text += cat(node.name, ".", operand, " ", to_string(shape), ": ", node.type_before, ", ",
                    display(before.format), " -> ", node.type_after, ", ", display(after.format),
                    "\n", rows_side_by_side(before.effective, after.effective), "\n");
  shown.tree.push(Tree::Table{{"node", node.name},
                              {"operand", operand},
                              {"shape", shape},
                              {"before", numbers(before.effective)},
                              {"after", numbers(after.effective)}});
  return {};
}

std::vector<std::string> operands_of(const NodeComparison& node, const WeightsChoice& choice) {
  if (!choice.operand.empty()) return {choice.operand};
  std::vector<std::string> names;
  for (const OperandComparison& operand : node.operands)
    if (!operand.buffer) names.push_back(operand.operand);
  if (names.empty() && choice.one_node) names.emplace_back("weight");  // the error says what it has
  return names;
}

}  // namespace

Result<ShownWeights> show_weights(const Graph& before, const Graph& after,
                                  const Comparison& comparison, const WeightsChoice& choice) {
  ShownWeights shown;
  for (const NodeComparison& node : comparison.nodes)
    for (const std::string& operand : operands_of(node, choice))
      if (Status added = add_operand(shown, before, after, node, operand);
          !added && choice.one_node)
        return std::move(added).error();
  if (!shown.text.empty()) return shown;
  return Error{.what = cat("no node has ",
                           choice.operand.empty() ? std::string("parameters")
                                                  : cat("the operand '", choice.operand, "'"),
                           " in both networks"),
               .hint = "--operand weight, bias, running_mean ..."};
}

}  // namespace chop::cli
