// Where the elements of strided_slice and its gradient come from.
#pragma once

#include "ops/families/indexing/indexing.hpp"

namespace chop::ops {

/// The shape of x[starts:ends:steps] for an x of shape `in`; an error when the attributes do not
/// have an entry for every dimension, or a step is 0.
Result<Shape> strided_shape(const Call& call, const Shape& in);
/// The offset in x of each element of the result; the attributes fit.
IndexMaps strided_maps(const Call& call, const Shape& in);

}  // namespace chop::ops
