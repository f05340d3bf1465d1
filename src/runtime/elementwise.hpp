// Sharing elementwise work among threads.
#pragma once

#include "support/system/threads.hpp"

namespace chop::runtime {

/// Elements below which a second thread costs more than it brings.
constexpr std::int64_t kChunk = std::int64_t{1} << 15;

/// Calls work(first, length) for fixed chunks of [0, count).
template <class Work>
void in_chunks(int threads, std::int64_t count, Work work) {
  if (threads <= 1 || count <= kChunk) {
    work(std::int64_t{0}, count);
    return;
  }
  parallel_for(threads, (count + kChunk - 1) / kChunk, [&](std::int64_t chunk) {
    const std::int64_t first = chunk * kChunk;
    work(first, std::min(kChunk, count - first));
  });
}

}  // namespace chop::runtime
