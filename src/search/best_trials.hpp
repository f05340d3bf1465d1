// The best of a study's trials, for samplers that learn from them.
#pragma once

#include "search/algorithms/history.hpp"

namespace chop::search {

/// Indices of the best `count` complete trials, best first: by value, or with several objectives
/// by the rank of their front, the last front thinned out so that what is left lies wide apart.
/// Where these do not suffice, pruned trials follow, those that came farthest first.
std::vector<std::size_t> best_trials(const History& history, std::span<const SampledTrial> trials,
                                     std::size_t count);

}  // namespace chop::search
