// Ops whose result is true or false: comparisons of numbers, and logic.
#pragma once

#include <functional>

#include "ops/core/common.hpp"

namespace chop::ops {

/// Of one real operand, as many truth values.
TypeList real_to_truth(const TypedCall& call);
/// As the types of comparisons, for operands that are bool themselves.
TypeList logic_type(const TypedCall& call);
/// y = f(a, b), one function for real numbers and one for all others.
void compare_forward(const ForwardCall& call, bool (*real)(double, double),
                     bool (*whole)(std::int64_t, std::int64_t));

/// y = Compare(a, b), for numbers of all kinds.
template <class Compare>
void compared(const ForwardCall& call) {
  compare_forward(
      call, [](double a, double b) { return Compare{}(a, b); },
      [](std::int64_t a, std::int64_t b) { return Compare{}(a, b); });
}

/// Completes a comparison of two operands that broadcast, alike in dtype: all but its forward and
/// its ONNX name. Samples that it gives come after those of all comparisons.
OpDef comparison(OpDef op);
/// Completes a connective of two truth values, in the same way.
OpDef connective(OpDef op);

}  // namespace chop::ops
