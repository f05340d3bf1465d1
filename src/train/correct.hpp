// How many predictions are right.
#pragma once

#include "support/layers.hpp"

namespace chop::train {

/// Rows of `classes` logits whose largest is at the target; the first wins among equals, and
/// nothing is larger than a NaN.
std::int64_t count_correct(std::span<const float> logits, std::int64_t classes,
                           std::span<const std::int64_t> targets);

}  // namespace chop::train
