// Sums over the rows of a matrix: the gradient of a bias.
#pragma once

#include "runtime/shares.hpp"

namespace chop::runtime {

/// Columns that one call should have a multiple of, so that no vector is shared out.
constexpr std::int64_t kSummedColumns = 16;

/// to[j] = Σ x[row][j] over all rows for the columns of a share, by blocks of kTeamRows rows, each
/// in four partial sums: rows 0, 4, 8 ... are the first, and the sum is (first + second) + (third +
/// fourth). Rows are `columns` apart.
void column_sums(const float* x, std::int64_t rows, std::int64_t columns, Share share, float* to);

}  // namespace chop::runtime
