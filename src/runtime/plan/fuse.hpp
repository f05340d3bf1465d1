// Fusions a plan makes before kernels are chosen. Results stay the same bits: a fused kernel
// does the same arithmetic, only without a trip through memory.
#pragma once

#include <set>

#include "ops/core/op_def.hpp"

namespace chop::runtime {

/// relu(f(x)) => f(x) with the attribute `relu`, and f_grad(relu_grad(dy, y), ...) =>
/// f_grad(dy, ..., y) with it, for every op that declares that attribute and when nobody else
/// reads what lies between. Values in `seen` keep their names and their contents.
/// Returns how many nodes went.
std::size_t fuse(Graph& lowered, const std::set<Value>& seen);

}  // namespace chop::runtime
