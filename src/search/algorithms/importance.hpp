// How much each parameter matters: functional ANOVA over a random forest, as Optuna's default.
#pragma once

#include <span>
#include <vector>

#include "search/algorithms/sampler_def.hpp"

namespace chop::search {

/// One number per parameter of the space, adding up to 1 (all 0 when the values are all the same).
/// `points` and `values` go together; points with inactive parameters count with a value of their
/// own for "not there". Depends on nothing but the arguments.
std::vector<double> parameter_importances(const Space& space, std::span<const Point> points,
                                          std::span<const double> values, std::uint64_t seed = 0);

}  // namespace chop::search
