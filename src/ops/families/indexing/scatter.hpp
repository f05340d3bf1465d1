// What scatter_elements, scatter_nd and their gradient share: update k goes to positions[k]
// of x (-1: nowhere), where it replaces, is added to or multiplies what is there, in order.
#pragma once

#include "ops/families/indexing/indexing.hpp"

namespace chop::ops {

enum class Scatter : std::uint8_t { Elements, Nd };

/// Checks indices and updates against x; needs the attributes dim (Elements) or batch_dims (Nd),
/// and reduction.
Status check_scatter(const TypedCall& call, Scatter kind, const Shape& x, const Shape& indices,
                     const Shape& updates);
Ints scatter_positions(const Call& call, Scatter kind, const Shape& x, const Tensor& indices);

/// "replaces it" and so on, for the attribute's documentation.
Field reduction_attr();

/// Completes both ops: all but names, their own attribute and samples.
OpDef scatter_op(Scatter kind, OpDef op);

}  // namespace chop::ops
