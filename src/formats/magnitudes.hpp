// Sums of magnitudes in lanes, for means that must have the bits of PyTorch's.
#pragma once

#include "support/layers.hpp"

namespace chop::formats {

/// sums[k] += |x[32 i + k]|, i = 0, 1, ... in this order, leaving out what is not finite or not
/// above the threshold; the number of values is a multiple of 32. Returns how many were added.
std::int64_t add_magnitudes(std::span<const float> x, float threshold, std::array<float, 32>& sums);

}  // namespace chop::formats
