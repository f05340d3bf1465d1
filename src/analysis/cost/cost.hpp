// The cost of a graph: arithmetic in two conventions, parameters, buffers and memory, node by
// node, at the precision each operand carries. docs/costs.md explains the rules.
#pragma once

#include "analysis/operands.hpp"

namespace chop::analysis {

/// Bits of an operand, by its number format or its dtype. The one definition for everything that
/// counts bits.
struct OperandBits {
  std::int64_t value = 32;  ///< of each value
  std::int64_t total = 0;   ///< of the tensor, what groups of values share included
};
Result<OperandBits> bits_of(const Operand& operand);
/// "float32", "integer(8, 4)", "int64": for tables.
std::string precision_text(const Operand& operand);

struct CostOptions {
  std::int64_t batch = 1;
  bool count_bias = false;  ///< `lab` counts the addition of a bias as well
};

struct NodeCost {
  NodeId id{};
  std::string name;
  std::string op;
  std::string precision;        ///< of data_in_0
  bool is_float = true;         ///< data_in_0 is a plain float: its operations are FLOPs
  bool is_view = false;         ///< moves no bytes: its result is its input under another shape
  Cost arithmetic;              ///< with `count_bias`, lab includes the bias
  std::int64_t bias = 0;        ///< additions of a bias: in exact, in lab only if asked for
  std::int64_t data_bits = 0;   ///< per value of data_in_0
  std::int64_t other_bits = 0;  ///< per value of what it is multiplied with, in a MAC

  std::int64_t parameters = 0;       ///< trainable
  std::int64_t input_buffer = 0;     ///< elements of all data inputs
  std::int64_t output_buffer = 0;    ///< elements of what other nodes read
  std::int64_t parameter_bytes = 0;  ///< buffers such as running_mean included
  std::int64_t input_bytes = 0;
  std::int64_t output_bytes = 0;

  std::int64_t lab_flops() const { return is_float ? arithmetic.lab : 0; }
  std::int64_t exact_flops() const { return is_float ? arithmetic.exact : 0; }
  std::int64_t lab_bitops() const { return arithmetic.lab * data_bits; }
  std::int64_t exact_bitops() const { return arithmetic.exact * data_bits; }
  /// Bit products of the multipliers: MACs times the widths of both operands.
  std::int64_t mac_bitops() const { return arithmetic.macs * data_bits * other_bits; }
  std::int64_t activation_bytes() const { return is_view ? 0 : input_bytes + output_bytes; }
  /// Parameters, inputs and outputs: what the layer keeps in memory while it runs.
  std::int64_t footprint() const { return parameter_bytes + activation_bytes(); }
  /// Exact operations per byte of the footprint.
  double intensity() const;
};

struct GraphCost {
  std::int64_t batch = 1;
  bool count_bias = false;
  std::vector<NodeCost> nodes;  ///< calls and get_attr nodes, in execution order
  /// Sums over the nodes. Tensors that several nodes share count once.
  Cost arithmetic;
  std::int64_t lab_flops = 0, exact_flops = 0;
  std::int64_t lab_bitops = 0, exact_bitops = 0, mac_bitops = 0;
  std::int64_t parameters = 0;
  std::int64_t parameter_bytes = 0;
  std::int64_t input_buffer = 0, output_buffer = 0;
  std::int64_t activation_bytes = 0;  ///< read and written by all nodes
  std::int64_t peak_bytes = 0;  ///< all parameters, and the inputs and outputs of the largest node

  double intensity() const;
};

/// The arithmetic of one call; an op without a rule is an error that names it.
Result<Cost> arithmetic_of(const OpDef& op, std::string_view node, const Attrs& attrs,
                           std::span<const TensorType> in, std::span<const TensorType> out);

/// An op without a rule, or a batch too large to be counted, is an error that names it.
Result<GraphCost> count_costs(const Graph& graph, const CostOptions& options);

}  // namespace chop::analysis
