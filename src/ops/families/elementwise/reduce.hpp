// What reductions other than sum and mean share: the elements each result is made of.
#pragma once

#include "ops/core/common.hpp"

namespace chop::ops {

/// For each result of a reduction over the attribute `dim`, the offsets of its elements in x,
/// in order.
std::vector<std::vector<std::size_t>> reduced_groups(const Call& call, const Shape& in);

/// The type of a reduction of numbers over `dim` (with `keepdim`).
TypeList number_reduce_type(const TypedCall& call);

/// Completes the gradient of a reduction: type and attribute `dim`.
OpDef reduce_grad_op(OpDef op);
/// The type of dx, given dy, x and perhaps y of a reduction over `dim`: that of x.
TypeList reduce_grad_type(const TypedCall& call);

/// y = what is left of a group after better(x, y) has let x replace y again and again; NaN wins.
void extreme_forward(const ForwardCall& call, bool (*better)(double, double),
                     bool (*whole_better)(std::int64_t, std::int64_t));
/// Completes a reduction: attributes, cost, ONNX attributes and the samples that all of them have,
/// in front of its own. The op may give what differs.
OpDef reduce_op(OpDef op);
/// Completes amax and amin from their forward: attributes, types, gradient, cost, ONNX attributes
/// and samples.
OpDef extreme_op(OpDef op);

/// y = the index along `dim` of the element that is better than all others: the first of equal
/// ones, or the last. NaN is best.
void arg_forward(const ForwardCall& call, bool (*better)(double, double),
                 bool (*whole_better)(std::int64_t, std::int64_t));
/// Completes argmax and argmin from their forward, as extreme_op() does.
OpDef arg_op(OpDef op);

}  // namespace chop::ops
