// The normal distribution, fast: correct to about seven digits.
#pragma once

#include "support/layers.hpp"

namespace chop::search {

/// Φ(x), by interpolation.
double normal_below(double x);
/// The x with Φ(x) = p, for p inside (0, 1) (Acklam's rational approximation).
double normal_quantile(double p);

}  // namespace chop::search
