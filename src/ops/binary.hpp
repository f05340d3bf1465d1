// Elementwise ops of two operands that broadcast: pow, maximum, fmod ...
#pragma once

#include <type_traits>

#include "ops/common.hpp"

namespace chop::ops {

/// y = f(a, b) over the broadcast operands, elements being read as TA and TB and written as TY:
/// double, or std::int64_t for whole numbers and truth values.
template <class TA, class TB, class TY, class F>
void map_pairs(const ForwardCall& call, F f) {
  const auto a = call.in[0]->data<TA>();
  const auto b = call.in[1]->data<TB>();
  const auto y = call.out[0].mutable_data<TY>();
  const Shape& shape = call.out[0].shape();
  if (call.in[0]->shape() == shape && call.in[1]->shape() == shape) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(a[i], b[i]);
    return;
  }
  const BroadcastIndex at_a(call.in[0]->shape(), shape);
  const BroadcastIndex at_b(call.in[1]->shape(), shape);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(a[at_a(i)], b[at_b(i)]);
}

/// The broadcast type of two operands that the op's `binary` field can take.
TypeList binary_type(const TypedCall& call);

/// Completes an op from its `binary` field: infer, forward, gradient, cost and arity.
OpDef binary_op(OpDef op);

}  // namespace chop::ops
