// The places strided_slice and its gradient visit.
#pragma once

#include "ops/families/indexing/indexing.hpp"

namespace chop::ops {

/// The shape of x[starts:ends:steps] for an x of shape `in`; an error when the attributes do not
/// have an entry for every dimension, or a step is 0.
Result<Shape> strided_shape(const Call& call, const Shape& in);
/// The place of x each place of the result is; the attributes fit.
PlaceMaps strided_maps(const Call& call, const Shape& in);

}  // namespace chop::ops
