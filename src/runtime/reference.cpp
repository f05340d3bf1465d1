// Runs the lowered form node by node with each op's reference forward, in double.
#include "runtime/reference.hpp"

#include "ops/core/check_indices.hpp"
#include "ops/core/registry.hpp"

namespace chop::runtime {
namespace {

/// The type for shape rules: floats of any width are computed in double, integers keep their width.
TensorType as_computed(TensorType type) {
  if (is_floating(type.dtype)) type.dtype = DType::F64;
  return type;
}

}  // namespace

bool is_void(std::span<const TensorType> out) {
  return !out.empty() && std::all_of(out.begin(), out.end(),
                                     [](const TensorType& type) { return numel(type.shape) == 0; });
}

std::vector<Tensor> run_reference_node(const Node& node, std::span<const Tensor* const> in,
                                       std::span<const TensorType> out, RunState state) {
  const OpDef& op = op_of(node);
  std::vector<Tensor> results;
  results.reserve(out.size());
  for (const TensorType& type : out) results.emplace_back(reference_dtype(type.dtype), type.shape);
  if (!is_void(out)) op.forward({{op, node.attrs}, node.name, state, in, results, out});
  return results;
}

Result<Values> run_reference(const Graph& lowered, const NamedTensors& inputs, RunState state) {
  // Types come from the tensors at hand, so any batch size works.
  Types types(lowered.id_limit());
  Values values(lowered.id_limit());
  for (const NodeId id : lowered.order()) {
    const Node& node = lowered.node(id);
    auto& mine = values[index(id)];
    if (node.opcode == Opcode::Output) break;
    if (node.opcode == Opcode::Placeholder) {
      const auto given = inputs.find(node.name);
      if (given == inputs.end()) return Error{.what = cat("no value for input '", node.name, "'")};
      mine = {given->second.to(reference_dtype(given->second.dtype()))};
      types[index(id)] = {as_computed(given->second.type())};
    } else if (node.opcode == Opcode::GetAttr) {
      const Tensor& value = lowered.find_parameter(node.target)->value;
      mine = {value.to(reference_dtype(value.dtype()))};
      types[index(id)] = {as_computed(value.type())};
    } else {
      CH_TRY(const auto out, infer_node(lowered, id, types));
      std::vector<const Tensor*> in;
      for (const Value& input : node.inputs) in.push_back(&values[index(input.node)][input.index]);
      std::vector<TensorType> given;
      for (const Tensor* tensor : in) given.push_back(tensor->type());
      CH_CHECK(ops::check_indices({{op_of(node), node.attrs}, given}, node.name, in));
      mine = run_reference_node(node, in, out, state);
      for (const TensorType& type : out) types[index(id)].push_back(as_computed(type));
    }
  }
  return values;
}

}  // namespace chop::runtime
