// Which calls can be the head of a chain (compile/schedule.hpp).
#pragma once

#include "compile/state.hpp"

namespace chop::compile {

/// A parameter, or a call that the step `constants` marked.
bool is_constant(const State& state, NodeId id);

/// Whether some backend heads a chain with this call when operand 0 has this type. All other
/// operands must be constant, so that they can be packed once.
bool can_head(const State& state, NodeId id, DType source);

/// Whether a chain without convolution or product can begin with this call: an epilogue op on
/// float32 rows [n, c].
bool can_head_epilogue(const State& state, NodeId id);

}  // namespace chop::compile
