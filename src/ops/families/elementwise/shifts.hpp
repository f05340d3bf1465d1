// Shifts of unsigned whole numbers. A shift by the width of the dtype or more gives 0.
#pragma once

#include "ops/core/common.hpp"

namespace chop::ops {

/// y = f(a, b) over the broadcast operands, cut to the dtype of the result.
void shift_forward(const ForwardCall& call, std::uint64_t (*f)(std::uint64_t a, std::uint64_t b));

/// Completes a shift: infer, arity, cost, traits and samples.
OpDef shift_op(OpDef op);

}  // namespace chop::ops
