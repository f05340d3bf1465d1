// Fusions a plan makes before kernels are chosen. Results stay the same bits: a fused kernel
// does the same arithmetic, only without a trip through memory.
#pragma once

#include "ops/op_def.hpp"

namespace chop {

/// relu(f(x)) => f(x) with the attribute `relu` set, and in the backward pass the relu's
/// gradient into the one of f, for every op that has that attribute.
/// Returns how many nodes went.
std::size_t fuse(Graph& lowered);

}  // namespace chop
