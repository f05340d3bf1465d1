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

}  // namespace chop::runtime
