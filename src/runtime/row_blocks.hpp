// Large batches in blocks of rows: sums over rows are made block by block and then added in the
// order of the blocks, so their bits depend on the number of rows and not on that of threads.
#pragma once

#include "support/system/threads.hpp"

namespace chop::runtime {

struct RowBlocks {
  static constexpr std::int64_t kRows = 2048;  ///< of a block
  std::int64_t rows = 0;

  /// Fewer rows are one task, as small batches always are.
  bool many() const { return rows >= 2 * kRows; }
  std::int64_t count() const { return (rows + kRows - 1) / kRows; }
  std::int64_t first(std::int64_t block) const { return block * kRows; }
  std::int64_t size(std::int64_t block) const { return std::min(kRows, rows - block * kRows); }

  /// Calls work(block) for every block.
  template <class Work>
  void each(int threads, Work work) const {
    parallel_for(threads, count(), work);
  }
  /// total[i] = Σ parts[block][i] in double, in the order of the blocks; parts are `length` apart.
  void add_up(const float* parts, std::int64_t length, float* total) const {
    constexpr std::int64_t kStretch = 256;
    for (std::int64_t first = 0; first < length; first += kStretch) {
      const std::int64_t width = std::min(kStretch, length - first);
      double sums[kStretch] = {};
      for (std::int64_t block = 0; block < count(); ++block)
        for (std::int64_t i = 0; i < width; ++i)
          sums[i] += static_cast<double>(parts[block * length + first + i]);
      for (std::int64_t i = 0; i < width; ++i) total[first + i] = static_cast<float>(sums[i]);
    }
  }
};

}  // namespace chop::runtime
