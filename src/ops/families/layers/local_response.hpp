// Local response normalisation: the sum that the op and its gradient divide by.
#pragma once

#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {

/// Calls f(c, j) for every channel c and each channel j of its window: from c − ⌊size/2⌋ on.
template <class F>
void for_each_neighbour(std::int64_t channels, std::int64_t size, F&& f) {
  for (std::int64_t c = 0; c < channels; ++c) {
    const std::int64_t first = std::max<std::int64_t>(0, c - size / 2);
    const std::int64_t last = std::min(channels - 1, c + (size - 1) / 2);
    for (std::int64_t j = first; j <= last; ++j)
      f(static_cast<std::size_t>(c), static_cast<std::size_t>(j));
  }
}

/// s[c] = k + alpha / size · Σ x[j]² over the window of c, for every element of x [N, C, ...].
std::vector<double> response_sums(const Call& call, const Shape& shape, std::span<const double> x);
/// How many squares those sums add up.
std::int64_t response_terms(const Call& call, const Shape& shape);
/// The attributes size, alpha, beta, k and their errors.
std::vector<Field> response_attrs();
Status check_response(const TypedCall& call, const Shape& x);

}  // namespace chop::ops
