// Batches in blocks of rows: sums over rows are made block by block and then added in the
// order of the blocks, so their bits depend on the number of rows and not on that of threads.
#pragma once

#include "runtime/shares.hpp"

namespace chop::runtime {

/// Rows of a block that a member of a team (team.hpp) has to itself.
constexpr std::int64_t kTeamRows = 128;

struct RowBlocks {
  static constexpr std::int64_t kRows = 2048;  ///< of a block that is a task
  std::int64_t rows = 0;
  std::int64_t length = kRows;  ///< of a block

  /// Fewer rows are one task, or a team's.
  bool many() const { return rows >= 2 * kRows; }
  std::int64_t count() const { return (rows + length - 1) / length; }
  std::int64_t first(std::int64_t block) const { return block * length; }
  std::int64_t size(std::int64_t block) const { return std::min(length, rows - block * length); }
  /// The rows of blocks [begin, end).
  Share rows_of(Share blocks) const {
    return {std::min(rows, blocks.begin * length), std::min(rows, blocks.end * length)};
  }

  /// Calls work(block) for every block.
  template <class Work>
  void each(int threads, Work work) const {
    parallel_for(threads, count(), work);
  }
  /// total[i] = Σ parts[block][i] in double, in the order of the blocks; parts are `values` apart.
  void add_up(const float* parts, std::int64_t values, float* total) const {
    constexpr std::int64_t kStretch = 256;
    for (std::int64_t first = 0; first < values; first += kStretch) {
      const std::int64_t width = std::min(kStretch, values - first);
      double sums[kStretch] = {};
      for (std::int64_t block = 0; block < count(); ++block)
        for (std::int64_t i = 0; i < width; ++i)
          sums[i] += static_cast<double>(parts[block * values + first + i]);
      for (std::int64_t i = 0; i < width; ++i) total[first + i] = static_cast<float>(sums[i]);
    }
  }
};

}  // namespace chop::runtime
