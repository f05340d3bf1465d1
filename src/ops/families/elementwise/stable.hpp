// Functions written so that nothing overflows on the way to a finite result.
#pragma once

#include "support/layers.hpp"

namespace chop::ops {

/// 1 / (1 + e⁻ˣ), without e to a large positive power.
inline double stable_sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

/// log(1 + eˣ)
inline double stable_log1p_exp(double x) {
  return (x > 0 ? x : 0.0) + std::log1p(std::exp(-std::abs(x)));
}

}  // namespace chop::ops
