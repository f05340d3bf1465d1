// Ops whose result is true or false: comparisons of numbers, and logic.
#pragma once

#include "ops/core/common.hpp"

namespace chop::ops {

/// Two operands that broadcast, alike in dtype; the result is bool.
TypeList compare_type(const TypedCall& call);
/// As compare_type(), for operands that are bool themselves.
TypeList logic_type(const TypedCall& call);
/// y = f(a, b), one function for real numbers and one for all others.
void compare_forward(const ForwardCall& call, bool (*real)(double, double),
                     bool (*whole)(std::int64_t, std::int64_t));

/// Completes a comparison, or with `logic_type` as infer a connective: arity, cost, traits.
OpDef truth_op(OpDef op);

}  // namespace chop::ops
