// Reverse-mode differentiation: gradient nodes in the same graph.
#pragma once

#include "ops/core/infer.hpp"
#include "ops/core/op_def.hpp"

namespace chop::compile {

struct GradientGraph {
  Graph graph;  ///< the lowered forward graph and the gradient nodes behind it
  Types types;  ///< of every value, at the batch it was built for
  /// dL/d(what) by placeholder or parameter name; absent where L does not depend on it.
  std::map<std::string, Value> gradients;
};

/// Appends to a lowered graph the nodes that compute dL/d(v) for each named placeholder or
/// parameter, where L is `loss` (a scalar), or, with `seed`, the sum of loss · seed.
/// The graph's outputs are left as they are; the caller says what to keep.
Result<GradientGraph> differentiate(Graph lowered, std::int64_t batch, Value loss,
                                    const std::vector<std::string>& with_respect_to,
                                    std::optional<Value> seed = {});

}  // namespace chop::compile
