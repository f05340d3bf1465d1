// What the losses share: reductions, and the rows of logits that cross_entropy sees.
#pragma once

#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {

/// The attribute `reduction`: "mean" or "sum" over what `over` says, "the rows".
Field loss_reduction(std::string_view over);

/// The attributes of cross_entropy and its gradient.
std::vector<Field> cross_entropy_attrs();

/// Logits [N, C, d1, ...] as N·d1·... rows of C along dimension 1 (one row when just [C]),
/// with one target per row.
std::size_t class_axis(const Shape& logits);
Shape target_shape(const Shape& logits);

/// What the sum over rows is divided by: 1, or for "mean" the number of targets not ignored.
double row_divisor(const Call& call, std::span<const std::int64_t> targets);

}  // namespace chop::ops
