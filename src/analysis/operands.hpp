// Operands and results of a node: names, types, formats, parameters.
#pragma once

#include "ops/core/infer.hpp"

namespace chop::analysis {

struct Operand {
  std::string name;  ///< data_in_0, weight, running_mean, data_out_0
  TensorType type;
  NumberFormat format = {};              ///< plain float unless the node says otherwise
  const Parameter* parameter = nullptr;  ///< of a module; null for an activation
  const ParamDef* definition = nullptr;  ///< of the parameter
  Value value = {};                      ///< of an activation; meaningless for parameters

  bool is_parameter() const { return parameter != nullptr; }
  bool is_weight() const { return definition != nullptr && definition->role == ParamRole::Weight; }
  bool is_buffer() const { return parameter != nullptr && !parameter->trainable; }
};

/// Inputs, then the parameters and buffers a module owns. Placeholders and get_attr nodes
/// read nothing; the output node reads what it returns.
std::vector<Operand> operands_of(const Graph& graph, NodeId id, const Types& types);
/// Results; the output node repeats what it reads.
std::vector<Operand> results_of(const Graph& graph, NodeId id, const Types& types);

/// How metadata describes the operand.
TensorMeta describe(const Operand& operand);

}  // namespace chop::analysis
