// Elementwise ops of two operands that broadcast: pow, maximum, fmod ...
#pragma once

#include <type_traits>

#include "ops/core/common.hpp"

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

/// Completes an op from its `binary` field: infer, forward, gradient, cost, arity and
/// names as torch_named() does.
OpDef binary_op(OpDef op);

/// y = the one of a and b that Better puts before the other; NaN if one of them is. The gradient
/// goes to that one, in halves where they are equal.
template <class Better>
Binary picking() {
  return {.value =
              [](double a, double b) {
                if (std::isnan(a) || std::isnan(b)) return std::nan("");
                return Better{}(a, b) ? a : b;
              },
          .whole = [](std::int64_t a, std::int64_t b) { return Better{}(a, b) ? a : b; },
          .slope_a =
              [](double a, double b, double /*y*/) {
                if (a == b) return 0.5;
                return Better{}(b, a) ? 0.0 : 1.0;
              },
          .slope_b =
              [](double a, double b, double /*y*/) {
                if (a == b) return 0.5;
                return Better{}(a, b) ? 0.0 : 1.0;
              }};
}
/// Completes maximum and minimum: as binary_op(), and samples.
OpDef pick_op(OpDef op);

/// Completes fmod and remainder, y = a - b · (a whole number): as binary_op(), the slope of a and
/// samples.
OpDef remainder_op(OpDef op);

}  // namespace chop::ops
