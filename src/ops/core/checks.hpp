// Checks that shape rules of several ops begin with.
#pragma once

#include "ops/core/op_def.hpp"

namespace chop::ops {

/// Inputs are real numbers, and every parameter has the shape the attributes call for.
Status check_operands(const TypedCall& call);
/// An integer attribute that must be at least `least`.
Status check_at_least(const Call& call, std::string_view attr, std::int64_t least);
/// Operand `position` of a gradient op must have exactly this shape.
Status check_shape(const TypedCall& call, std::size_t position, const Shape& wanted);

}  // namespace chop::ops
