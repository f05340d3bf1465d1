// add, sub, mul and div: two operands that broadcast, or one and the real attribute `other`.
#pragma once

#include "ops/core/common.hpp"

namespace chop::ops {

/// The broadcast type; an error unless there is exactly one second operand.
TypeList arithmetic_type(const TypedCall& call);
/// y = f(a, b) elementwise over the broadcast operands; `whole` is f on whole numbers.
void arithmetic_forward(const ForwardCall& call, double (*f)(double a, double b),
                        std::int64_t (*whole)(std::int64_t a, std::int64_t b));
/// op(value, second operand), wherever the second operand of this call comes from.
Value with_second(GradBuilder& g, std::string_view op, Value value);
/// Sets dL/d(operand), summed over what broadcasting stretched.
void set_summed(GradBuilder& g, std::size_t operand, Value gradient);

/// Completes the definition of one of the four from what they share; samples where it has none.
OpDef arithmetic_op(OpDef op);

}  // namespace chop::ops
