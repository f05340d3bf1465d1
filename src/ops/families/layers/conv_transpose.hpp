// Transposed convolution in one to three dimensions: what its forms and its gradient share.
//
// It is the adjoint of a convolution: the products x[i] · w[k] that conv_transpose adds to y are
// those by which a convolution with the same weight would make x from y. So its geometry is that
// convolution's, whose output is our input.
#pragma once

#include "ops/families/layers/conv.hpp"

namespace chop::ops {

/// The convolution that leads from y back to x; w is [in_channels, out_channels / groups, ...].
/// From the attributes stride, padding, output_padding, dilation and groups.
Result<ConvShape> conv_transpose_shape(const Call& call, const Shape& x, const Shape& w);
/// The shape of y for an x of this shape.
Shape conv_transpose_output(const ConvShape& conv, const Shape& x);

/// Completes conv_transpose1d to conv_transpose3d: everything but names and `dims`.
OpDef conv_transpose_op(OpDef op);

}  // namespace chop::ops
