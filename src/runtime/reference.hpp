// The slow, obviously right way to run a graph: each op's reference forward, in double.
// It is the oracle of every fast kernel.
#pragma once

#include "ops/core/infer.hpp"
#include "ops/core/op_def.hpp"

namespace chop::runtime {

using NamedTensors = std::map<std::string, Tensor>;
/// values[node id][result number]
using Values = std::vector<std::vector<Tensor>>;

/// Runs a lowered graph and keeps every value. Placeholders take `inputs` by name, get_attr
/// nodes the graph's parameters; real tensors of any width are widened to f64, others to i64.
Result<Values> run_reference(const Graph& lowered, const NamedTensors& inputs, RunState state = {});

/// One node's reference forward on tensors already in f64/i64.
std::vector<Tensor> run_reference_node(const Node& node, std::span<const Tensor* const> in,
                                       std::span<const TensorType> out, RunState state);

/// Whether all results of a call are tensors without elements, so that there is nothing to compute.
/// Dimensions beside a 0 may be huge: nothing may be listed along them.
bool is_void(std::span<const TensorType> out);

/// The dtype reference execution uses for `dtype`.
inline DType reference_dtype(DType dtype) {
  return is_floating(dtype) ? DType::F64 : DType::I64;
}

}  // namespace chop::runtime
