// Loops over tensors whose elements lie at regular distances: broadcast, permuted, reduced.
#pragma once

#include "tensor/tensor.hpp"

namespace chop::runtime {

/// A nest of loops, outermost first, and for each operand how far one step of each loop moves.
/// Loops that are one loop for every operand have been merged, loops of one step left out.
struct Loops {
  std::vector<std::int64_t> sizes;
  std::vector<std::vector<std::int64_t>> steps;  ///< [operand][loop]

  std::size_t depth() const { return sizes.size(); }
  /// Iterations of the `count` outermost loops together.
  std::int64_t iterations(std::size_t count) const;
  /// Where operand `operand` is at iteration `number` of the `count` outermost loops.
  std::int64_t offset(std::size_t operand, std::size_t count, std::int64_t number) const;
};

/// Loops over `shape` in order, for operands with the given steps per dimension.
Loops merge_loops(const Shape& shape, std::vector<std::vector<std::int64_t>> steps);

/// Steps of a dense tensor of shape `in` broadcast to `out`: 0 where it is stretched.
std::vector<std::int64_t> broadcast_steps(const Shape& in, const Shape& out);

/// The loops of a reduction from x (operand 0) to y (operand 1): those that y keeps and those that
/// are reduced. The innermost loop is in neither list.
struct Reduction {
  Loops kept{{}, {{}, {}}};
  Loops reduced{{}, {{}, {}}};
  bool inner_reduced = false;
  std::int64_t inner = 1;  ///< size of the innermost loop

  std::int64_t outputs() const { return kept.iterations(kept.depth()); }
  /// Innermost loops that belong to one output, or to one row of outputs.
  std::int64_t rows() const { return reduced.iterations(reduced.depth()); }
};

/// A reduction of a dense tensor of shape `in`; `kept` is the result's shape with ones where `in`
/// is reduced. Nothing may be empty.
Reduction reduction_loops(const Shape& in, const Shape& kept);

}  // namespace chop::runtime
