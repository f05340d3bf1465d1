// The loops of statistics over many values, in vectors; the order of every sum is fixed.
#pragma once

#include "support/layers.hpp"

namespace chop::analysis {

/// Sums of a row are made of eight: of every eighth value, whole eights only. They are added in
/// pairs four apart, then two, then one; last comes the sum of the values left over.
struct RowSpan {
  const float* values = nullptr;
  std::size_t rows = 0;
  std::size_t width = 0;
};

/// sums[r] = Σ|x| of row r, in double.
void row_abs_sums(const RowSpan& x, double* sums);
/// means[r] = Σx / width and squares[r] = Σ(x - means[r])² of row r, in double.
void row_moments(const RowSpan& x, double* means, double* squares);

/// Writes ordered_bits(x) >> shift of all values that are not zero, in their order; returns how
/// many. There is room for as many keys as values.
std::size_t nonzero_keys(std::span<const float> x, int shift, std::uint32_t* keys);

}  // namespace chop::analysis
