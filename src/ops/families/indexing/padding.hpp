// Where the elements of pad and its gradient come from.
#pragma once

#include "ops/families/indexing/indexing.hpp"

namespace chop::ops {

/// The attribute `mode`.
Field padding_mode();
/// The shape of x padded by the attributes pads (begins, then ends) and mode; an error when they
/// do not fit.
Result<Shape> padded_shape(const Call& call, const Shape& in);
/// The offset in x of each element of the result, -1 in constant padding; the attributes fit.
IndexMaps padded_maps(const Call& call, const Shape& in);

}  // namespace chop::ops
