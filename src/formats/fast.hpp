// The fast loops: the same bits as FormatDef::quantise, many values at a time.
#pragma once

#include <cstdint>

#include "formats/element.hpp"

namespace chop::formats {

/// Whether there is a loop for it: none draws random numbers, and none takes exponents so far
/// down that powers of two leave float32's normal range.
bool has_fast_loop(const Element& element);

/// y[i] = q(x[i]); x and y may be the same. Only where has_fast_loop().
void quantise_run(const Element& element, const float* x, float* y, std::int64_t count);

/// The largest finite-or-clamped magnitude: NaN is passed over, infinity is the largest float.
float abs_max(const float* x, std::int64_t count);

}  // namespace chop::formats
