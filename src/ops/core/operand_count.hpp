// How many operands a call may have.
#pragma once

#include "ops/core/op_def.hpp"

namespace chop::ops {

/// Parameters of the call that are present.
std::size_t parameter_count(const Call& call);

/// Whether a call may have so many operands: its data inputs, then the parameters that are
/// present.
Status check_operand_count(const Call& call, std::size_t operands);

}  // namespace chop::ops
