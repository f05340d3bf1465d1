// Values that are no numbers, or infinite, among weights and outputs.
#pragma once

#include "ir/graph.hpp"

namespace chop::analysis {

struct NonFinite {
  std::string name;  ///< "weight 'fc.weight'"
  std::int64_t nan = 0;
  std::int64_t infinite = 0;
  std::int64_t size = 0;

  /// "3 NaN and 1 infinite of 64 values"
  std::string counts() const;
};

using NonFinites = std::vector<NonFinite>;

/// Adds an entry for a tensor that holds such values; `what` is what it is: "weight".
void add_non_finite(NonFinites& found, std::string_view what, std::string_view name,
                    const Tensor& tensor);
/// The same for a number, such as a loss.
void add_non_finite(NonFinites& found, std::string_view what, std::string_view name, double value);
/// Of all parameters and buffers of a network.
NonFinites non_finite_weights(const Graph& graph);

}  // namespace chop::analysis
