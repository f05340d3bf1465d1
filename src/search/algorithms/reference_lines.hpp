// Reference directions of NSGA-III: lines from the ideal point through evenly spread weights of the
// objectives. Two objectives in 4 divisions have the weights (0, 1), (1/4, 3/4), (1/2, 1/2), (3/4,
// 1/4), (1, 0).
#pragma once

#include "search/algorithms/pareto.hpp"

namespace chop::search {

/// All ways to share `divisions` equal parts among the objectives (Das and Dennis 1998).
std::vector<Losses> reference_weights(std::size_t objectives, int divisions);
/// How many there are.
double count_lines(std::size_t objectives, int divisions);
/// The least number of divisions that gives at least `lines` of them.
int enough_divisions(std::size_t objectives, std::size_t lines);

/// Rows translated and scaled so that the ideal point is 0 and the hyperplane through the extreme
/// points crosses every axis at 1. Where there is no such plane, the worst values of the first
/// front become 1. Infinite values become larger than all others.
std::vector<Losses> normalised(std::span<const Losses> rows, std::span<const int> ranks);

struct Nearest {
  std::size_t line = 0;
  double distance = 0;
};
/// The line that a row is nearest to.
Nearest nearest_line(const Losses& row, std::span<const Losses> weights);

}  // namespace chop::search
