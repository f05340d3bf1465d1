// fuse_batch_norm: a batch normalisation that follows a layer becomes part of its weights.
//   w' = w · γ / √(σ² + eps)      b' = (b − μ) · γ / √(σ² + eps) + β
#include "analysis/common_metadata.hpp"
#include "analysis/operands.hpp"
#include "ops/core/registry.hpp"
#include "passes/pass_def.hpp"

namespace chop::passes::fuse_batch_norm {
namespace {

/// The normalisation as y = x · scale + shift, per channel.
struct Affine {
  std::vector<double> scale;
  std::vector<double> shift;
};

const Tensor* tensor_of(const Graph& graph, const Node& node, std::string_view name) {
  const Parameter* parameter = graph.find_parameter(cat(node.target, ".", name));
  return parameter == nullptr ? nullptr : &parameter->value;
}

/// Nothing when the normalisation has no running statistics to fold.
std::optional<Affine> affine_of(const Graph& graph, const Node& norm) {
  const Call call{op_of(norm), norm.attrs};
  const Tensor* mean = tensor_of(graph, norm, "running_mean");
  const Tensor* variance = tensor_of(graph, norm, "running_var");
  const Tensor* weight = tensor_of(graph, norm, "weight");
  const Tensor* bias = tensor_of(graph, norm, "bias");
  if (mean == nullptr || variance == nullptr) return {};
  Affine affine;
  for (std::int64_t c = 0; c < mean->size(); ++c) {
    const double scale =
        (weight == nullptr ? 1.0 : weight->at(c)) / std::sqrt(variance->at(c) + call.real("eps"));
    affine.scale.push_back(scale);
    affine.shift.push_back((bias == nullptr ? 0.0 : bias->at(c)) - mean->at(c) * scale);
  }
  return affine;
}

/// Scales the first dimension of a weight, whose rows are the channels.
Tensor scaled(const Tensor& weight, const std::vector<double>& scale) {
  Tensor result = weight;
  const auto values = result.mutable_data<float>();
  const std::size_t row = values.size() / scale.size();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(double{values[i]} * scale[i / row]);
  return result;
}

Tensor folded_bias(const Tensor* bias, const Affine& affine) {
  Tensor result(DType::F32, {static_cast<std::int64_t>(affine.scale.size())});
  for (std::size_t c = 0; c < affine.scale.size(); ++c) {
    const double old = bias == nullptr ? 0.0 : bias->at(static_cast<std::int64_t>(c));
    result.mutable_data<float>()[c] = static_cast<float>(old * affine.scale[c] + affine.shift[c]);
  }
  return result;
}

/// Whether the rows of the module's weight make the channels a normalisation works on.
bool makes_channels(const Node& node, const Shape& result) {
  if (node.opcode != Opcode::CallModule) return false;
  const int axis = op_of(node).weight_axis;
  return axis == 1 || (axis == -1 && result.size() == 2);
}

bool is_norm(const Node& node) {
  return node.opcode == Opcode::CallModule && has(op_of(node).traits, Trait::ChannelAffine);
}

/// Several nodes may call one module; then its weights cannot be changed for one of them.
bool owns_its_module(const Graph& graph, NodeId id) {
  for (const NodeId other : graph.order())
    if (other != id && graph.node(other).opcode == Opcode::CallModule &&
        graph.node(other).target == graph.node(id).target)
      return false;
  return true;
}

/// True when the normalisation was folded into the layer before it.
bool fold(Graph& graph, NodeId id, const Types& types) {
  const Node& norm = graph.node(id);
  if (!is_norm(norm) || !norm.formats.empty() || norm.inputs[0].index != 0) return false;
  const NodeId before = norm.inputs[0].node;
  Node& layer = graph.node(before);
  if (!makes_channels(layer, types[index(before)][0].shape) || !layer.formats.empty() ||
      graph.users(before).size() != 1 || !owns_its_module(graph, before) ||
      !owns_its_module(graph, id))
    return false;
  const std::optional<Affine> affine = affine_of(graph, norm);
  Parameter* weight = graph.find_parameter(layer.target + ".weight");
  if (!affine || weight == nullptr ||
      weight->value.dim(0) != static_cast<std::int64_t>(affine->scale.size()))
    return false;
  const std::string bias_name = layer.target + ".bias";
  const Tensor bias = folded_bias(tensor_of(graph, layer, "bias"), *affine);
  weight->value = scaled(weight->value, affine->scale);
  layer.attrs["bias"] = true;
  if (Parameter* known = graph.find_parameter(bias_name))
    known->value = bias;
  else
    graph.add_parameter({.name = bias_name, .value = bias});
  std::vector<std::string> gone;
  for (const Operand& operand : operands_of(graph, id, types))
    if (operand.is_parameter()) gone.push_back(operand.parameter->name);
  for (const std::string& name : gone) graph.erase_parameter(name);
  graph.replace_uses({id}, {before});
  graph.erase(id);
  return true;
}

Result<PassOutput> run(Graph& graph, const Args& /*args*/, const PassContext& context) {
  PassOutput output;
  std::vector<std::string> folded;
  CH_TRY(const Types types, infer_types(graph, context.batch_size));
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (const NodeId id : order) {
    const std::string name = graph.node(id).name;
    if (fold(graph, id, types)) folded.push_back(name);
  }
  const std::int64_t batch = described_batch(graph, context.batch_size);
  CH_CHECK(describe_nodes(graph, batch));
  output.text =
      cat("Folded ", folded.size(), " batch normalisations into the layers before them\n");
  output.info.set("folded", Tree(folded));
  return output;
}

}  // namespace

PassDef define() {
  return {
      .name = "fuse_batch_norm",
      .doc = "fold batch normalisations into the linear or convolution layer before them",
      .details =
          "Only where no other node reads the layer's result, and where neither carries a number\n"
          "format yet: fold first, then quantise. What is left computes the same up to rounding\n"
          "when evaluated, and trains without normalisation.",
      .promise = Promise::Close,
      .run = run};
}

}  // namespace chop::passes::fuse_batch_norm
