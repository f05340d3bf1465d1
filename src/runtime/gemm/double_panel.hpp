// Products in double precision, a panel of columns at a time: where float32 would round, as in sums
// of many products of 8-bit integers.
#pragma once

#include "support/layers.hpp"

namespace chop::runtime {

/// Columns of a panel, on any processor.
constexpr std::int64_t kDoublePanel = 32;

/// C [m, kDoublePanel] = A [m, k] times a panel [k, kDoublePanel]. Each element is one sum in the
/// order of k, by fused multiply-adds where the processor has them.
struct DoublePanel {
  std::int64_t m = 0, k = 0;
  std::int64_t a_row = 0;  ///< from one row of A to the next
  std::int64_t c_row = 0;

  void run(const double* a, const double* panel, double* c) const;
};

}  // namespace chop::runtime
