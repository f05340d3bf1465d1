// How much each parameter matters: functional ANOVA over a random forest, as Optuna's default.
#pragma once

#include "search/algorithms/sampler_def.hpp"

namespace chop::search {

/// One number per parameter of the space, adding up to 1 (all 0 when the values are all the same).
/// values[i] is the objective at points[i]. "Not active" counts as a value of its own. The result
/// depends on the arguments alone.
std::vector<double> parameter_importances(const Space& space, std::span<const Point> points,
                                          std::span<const double> values, std::uint64_t seed = 0);

}  // namespace chop::search
