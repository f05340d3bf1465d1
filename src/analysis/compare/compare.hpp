// Compares two networks node by node: ops, attributes, number formats, and the difference of the
// weights they compute with. Nodes are matched by name.
#pragma once

#include "analysis/compare/error_meter.hpp"
#include "ir/graph.hpp"

namespace chop::analysis {

/// A tensor a module owns, before and after.
struct OperandComparison {
  std::string operand;  ///< weight, bias, running_mean
  Shape shape;
  bool buffer = false;
  NumberFormat before;
  NumberFormat after;
  ErrorMeter error;                     ///< of the values computed with, formats applied
  std::optional<std::int64_t> clipped;  ///< beyond the range of `after`; nothing: it has none
  std::optional<std::int64_t> flushed;  ///< not zero, and zero in `after`; nothing: no format
  std::int64_t bits_before = 0;
  std::int64_t bits_after = 0;
};

struct NodeComparison {
  std::string name;
  std::string type_before;                                  ///< "Linear"
  std::string type_after;                                   ///< "LinearInteger"
  std::map<std::string, NumberFormat> formats_before = {};  ///< by operand, plain ones left out
  std::map<std::string, NumberFormat> formats_after = {};
  bool definition_changed = false;  ///< another op, other attributes, or it reads other nodes
  bool values_changed = false;      ///< parameters as stored differ, formats aside
  std::vector<OperandComparison> operands = {};
  /// Parameters that cannot be compared, as clauses: "weight is [5, 16] before, [8, 16] after".
  std::vector<std::string> mismatches = {};

  bool formats_changed() const { return formats_before != formats_after; }
  bool changed() const { return definition_changed || values_changed || formats_changed(); }
};

/// A node only one of the networks has.
struct UnmatchedNode {
  std::string name;
  std::string type;
};

struct Comparison {
  std::vector<NodeComparison> nodes;  ///< in the order of the first network
  std::vector<UnmatchedNode> only_before;
  std::vector<UnmatchedNode> only_after;
  /// Bits of all trainable parameters of each network, shared exponents included.
  std::int64_t weight_bits_before = 0;
  std::int64_t weight_bits_after = 0;

  bool equal() const;
  double compression() const;
};

/// Both graphs must be verified.
Result<Comparison> compare_graphs(const Graph& before, const Graph& after);

/// The same network in plain float32, without the parameters that formats learned.
Graph without_formats(Graph graph);
bool has_formats(const Graph& graph);

/// The values a node computes with: a parameter of its module, its format applied.
struct EffectiveOperand {
  NumberFormat format;
  Tensor stored;     ///< F32
  Tensor effective;  ///< F32
};
/// Errors name the nearest node or operand.
Result<EffectiveOperand> effective_operand(const Graph& graph, const std::string& node,
                                           const std::string& operand);

/// "integer(8, 4)", or where operands differ "weight: integer(4, 2); bias, data_in_0:
/// integer(8, 4)"; the plain format without formats.
std::string display_formats(const std::map<std::string, NumberFormat>& formats);

/// The rows of two tensors one above the other, with the differences, 4 decimals, 8 values a
/// line. A row is what belongs to one index of the first dimension; a vector is one row.
std::string rows_side_by_side(const Tensor& before, const Tensor& after);

}  // namespace chop::analysis
