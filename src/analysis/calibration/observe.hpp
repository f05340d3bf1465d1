// Runs a graph in evaluation mode over the rows of a split and shows chosen values of it.
#pragma once

#include <functional>

#include "data/dataset.hpp"
#include "ops/core/infer.hpp"

namespace chop::analysis {

/// How one sample appears in a value of a graph.
struct SampleShape {
  Shape shape;            ///< [1, ...] for most; the whole tensor when it is constant
  bool constant = false;  ///< the value does not depend on the batch
};

/// One per value; nothing where samples do not follow one another along the first dimension.
Result<std::vector<std::optional<SampleShape>>> sample_shapes(const Graph& graph,
                                                              std::span<const Value> values);

/// One value for some rows, as floats, row after row.
struct Observation {
  const float* values = nullptr;
  std::int64_t samples = 0;  ///< 1 for a constant
};

struct ObserveOptions {
  std::int64_t rows = 0;  ///< the first so many
  int threads = 1;
  /// Results that carry a number format are shown as their readers see them, through it;
  /// false: as the op made them.
  bool through_formats = false;
};

/// Calls `take` for one batch of rows after another, with one observation per value. What a node
/// reads is shown as it was when the node read it. The graph is not changed.
Status observe(const Graph& graph, std::span<const Value> values, const Split& split,
               const ObserveOptions& options,
               const std::function<void(std::span<const Observation>)>& take);

}  // namespace chop::analysis
