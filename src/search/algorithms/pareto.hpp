// Several objectives: Pareto dominance, non-dominated fronts, crowding distance, hypervolume.
//
// Of the losses (1, 4), (2, 2), (4, 1), (3, 3) the first three are front 0 (none dominates another)
// and the last, which (2, 2) dominates, is front 1.
#pragma once

#include "search/store/trial.hpp"

namespace chop::search {

/// One row of objective values, all to be minimised.
using Losses = std::vector<double>;
/// Values with those to be maximised negated; NaN becomes +infinity.
Losses losses_of(std::span<const double> values, std::span<const Direction> directions);

/// No worse anywhere and better somewhere.
bool dominates(std::span<const double> a, std::span<const double> b);
/// Rank 0: dominated by none; rank 1: by none but those of rank 0; and so on.
std::vector<int> nondominated_ranks(std::span<const Losses> rows);
/// Indices of rank 0, equal rows all of them, in order.
std::vector<std::size_t> pareto_front(std::span<const Losses> rows);
/// The crowding distance of NSGA-II of each row among all of them.
std::vector<double> crowding_distances(std::span<const Losses> rows);
/// The hypervolume: the volume the rows dominate up to `reference`. Rows that do not dominate it
/// add nothing.
double hypervolume(std::span<const Losses> rows, const Losses& reference);

}  // namespace chop::search
