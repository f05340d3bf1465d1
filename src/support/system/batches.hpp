// Rows of data in batches, and batches run beside each other.
//
// 10 rows in batches of 4: rows 0-3, 4-7 and 8-9. With two lanes, lane 0 runs the batches 0 and 2,
// lane 1 the batch 1; a lane runs its batches one after the other, with memory of its own.
#pragma once

#include <atomic>

#include "support/system/threads.hpp"

namespace chop::support {

/// Rows cut into batches of `size`, of which the last may be smaller.
struct Batches {
  std::int64_t rows = 0;
  std::int64_t size = 1;

  std::int64_t count() const { return (rows + size - 1) / size; }
  std::int64_t first_row(std::int64_t batch) const { return batch * size; }
  std::int64_t rows_in(std::int64_t batch) const { return std::min(size, rows - batch * size); }
  std::int64_t rest() const { return rows % size; }  ///< rows of a smaller last batch; 0: none
};

/// Calls run(batch, lane) for the batches begin .. end-1, lane after lane in turn; lanes run beside
/// each other. When a call returns false, no further batch begins; then the result is false.
template <class Run>
bool for_batches(std::int64_t begin, std::int64_t end, int lanes, Run run) {
  std::atomic<bool> stopped = false;
  parallel_for(lanes, lanes, [&](std::int64_t lane) {
    for (std::int64_t batch = begin + lane; batch < end && !stopped; batch += lanes)
      if (!run(batch, static_cast<std::size_t>(lane))) stopped = true;
  });
  return !stopped;
}

}  // namespace chop::support
