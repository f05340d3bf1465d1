#include "train/gradient.hpp"

#include <algorithm>
#include <set>

#include "ops/grad_builder.hpp"
#include "ops/registry.hpp"

namespace chop {
namespace {

class Differentiation {
 public:
  Differentiation(Graph graph, Types types) : graph_(std::move(graph)), types_(std::move(types)) {}

  /// A value needs a gradient when it leads from a wanted leaf to the loss; everything else
  /// (indices, running statistics, the data itself) is skipped.
  void mark_needed(const std::set<std::string>& wanted) {
    needed_.assign(graph_.id_limit(), false);
    for (const NodeId id : graph_.order()) {
      const Node& node = graph_.node(id);
      const bool leaf = node.opcode == Opcode::Placeholder || node.opcode == Opcode::GetAttr;
      if (leaf) needed_[index(id)] = wanted.contains(leaf_name(node));
      for (const Value& input : node.inputs)
        if (needed_[index(input.node)]) needed_[index(id)] = true;
    }
  }

  Status run(Value loss, Value seed, std::size_t forward_nodes) {
    grads_.resize(graph_.id_limit());
    accumulate(loss, seed);
    const std::vector<NodeId> order(
        graph_.order().begin(),
        graph_.order().begin() + static_cast<std::ptrdiff_t>(forward_nodes));
    for (std::size_t i = order.size(); i-- > 0;) CH_CHECK(step(order[i]));
    return {};
  }

  std::optional<Value> gradient_of(NodeId id) const {
    return grads_[index(id)].empty() ? std::nullopt : grads_[index(id)][0];
  }
  static std::string leaf_name(const Node& node) {
    return node.opcode == Opcode::GetAttr ? node.target : node.name;
  }

  Graph graph_;
  Types types_;

 private:
  Status step(NodeId id) {
    const Opcode opcode = graph_.node(id).opcode;
    if (opcode == Opcode::Placeholder || opcode == Opcode::GetAttr || opcode == Opcode::Output ||
        !needed_[index(id)] || grads_[index(id)].empty())
      return {};
    const OpDef& op = op_of(graph_.node(id));
    if (has(op.traits, Trait::NoGradient)) return {};
    if (op.gradient == nullptr)
      return Error{.what = cat(op.name, " '", graph_.node(id).name, "' is not differentiable"),
                   .hint = "give the op a gradient rule, or keep it out of the loss"};
    std::vector<std::optional<Value>> outputs = grads_[index(id)];
    if (!outputs[0])
      return Error{.what = cat("only secondary results of ", op.name, " '", graph_.node(id).name,
                               "' reach the loss")};
    outputs.resize(types_[index(id)].size());
    GradBuilder builder(graph_, types_, id, std::move(outputs));
    op.gradient(builder);
    const std::vector<Value> inputs = graph_.node(id).inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (builder.gradients()[k] && needed_[index(inputs[k].node)])
        accumulate(inputs[k], *builder.gradients()[k]);
    return {};
  }

  void accumulate(Value value, Value gradient) {
    auto& mine = grads_[index(value.node)];
    if (mine.size() <= value.index) mine.resize(value.index + 1);
    std::optional<Value>& sum = mine[value.index];
    if (!sum) {
      sum = gradient;
      return;
    }
    const NodeId id = graph_.add({.name = graph_.node(value.node).name + "_grad_sum",
                                  .opcode = Opcode::CallFunction,
                                  .op = "add",
                                  .target = "add",
                                  .inputs = {*sum, gradient}});
    types_.resize(graph_.id_limit());
    types_[index(id)] = {type_of(types_, gradient)};
    sum = Value{id};
  }

  std::vector<bool> needed_;
  std::vector<std::vector<std::optional<Value>>> grads_;
};

}  // namespace

Result<GradientGraph> differentiate(Graph lowered, std::int64_t batch, Value loss,
                                    const std::vector<std::string>& with_respect_to,
                                    std::optional<Value> seed) {
  CH_TRY(Types types, infer_types(lowered, batch));
  const std::vector<Value> outputs = lowered.outputs();
  const std::size_t forward_nodes = lowered.size();
  if (!seed) {
    const TensorType& type = type_of(types, loss);
    if (numel(type.shape) != 1)
      return Error{.what = cat("the loss has shape ", to_string(type.shape), ", not one number")};
    seed = Value{lowered.add({.name = "loss_grad",
                              .opcode = Opcode::CallFunction,
                              .op = "full",
                              .target = "full",
                              .attrs = {{"shape", type.shape}, {"value", 1.0}}})};
    types.resize(lowered.id_limit());
    types[index(seed->node)] = {type};
  }
  Differentiation work(std::move(lowered), std::move(types));
  work.mark_needed({with_respect_to.begin(), with_respect_to.end()});
  CH_CHECK(work.run(loss, *seed, forward_nodes));

  GradientGraph result;
  for (const NodeId id : work.graph_.order()) {
    const Node& node = work.graph_.node(id);
    if (node.opcode != Opcode::Placeholder && node.opcode != Opcode::GetAttr) continue;
    const std::string name = Differentiation::leaf_name(node);
    if (std::find(with_respect_to.begin(), with_respect_to.end(), name) == with_respect_to.end())
      continue;
    if (const auto gradient = work.gradient_of(id)) result.gradients.emplace(name, *gradient);
  }
  result.graph = std::move(work.graph_);
  result.types = std::move(work.types_);
  if (!outputs.empty()) result.graph.set_outputs(outputs);
  return result;
}

}  // namespace chop
