// Reverse-mode differentiation: marks the nodes between a wanted leaf and the loss, then walks them
// backwards. Each op's rule adds nodes for the gradients of its operands; those of a value with
// several readers are added (y = a b + a: da = dy b + dy).
#include "compile/gradient.hpp"

#include <set>

#include "ops/core/grad_builder.hpp"
#include "ops/core/registry.hpp"

namespace chop::compile {
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

  /// By leaf. Several nodes may read one parameter; its gradient is the sum of theirs.
  std::map<std::string, Value> gradients(const std::set<std::string>& wanted) {
    std::map<std::string, Value> found;
    for (std::size_t i = 0; i < graph_.size(); ++i) {  // sums are appended on the way
      const NodeId id = graph_.order()[i];
      const Node& node = graph_.node(id);
      const bool leaf = node.opcode == Opcode::Placeholder || node.opcode == Opcode::GetAttr;
      if (!leaf || grads_[index(id)].empty()) continue;
      const std::string name = leaf_name(node);
      if (!wanted.contains(name)) continue;
      const Value mine = *grads_[index(id)][0];
      const auto [entry, first] = found.emplace(name, mine);
      if (!first) entry->second = add(entry->second, mine, name);
    }
    return found;
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
    sum = add(*sum, gradient, graph_.node(value.node).name);
  }

  Value add(Value a, Value b, const std::string& name) {
    const NodeId id = graph_.add({.name = name + "_grad_sum",
                                  .opcode = Opcode::CallFunction,
                                  .op = "add",
                                  .target = "add",
                                  .inputs = {a, b}});
    types_.resize(graph_.id_limit());
    types_[index(id)] = {type_of(types_, b)};
    return {id};
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
  const std::set<std::string> wanted(with_respect_to.begin(), with_respect_to.end());
  work.mark_needed(wanted);
  CH_CHECK(work.run(loss, *seed, forward_nodes));

  GradientGraph result;
  result.gradients = work.gradients(wanted);
  result.graph = std::move(work.graph_);
  result.types = std::move(work.types_);
  if (!outputs.empty()) result.graph.set_outputs(outputs);
  return result;
}

}  // namespace chop::compile
