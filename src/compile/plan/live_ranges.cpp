// Greedy by size: the largest value first, each at the lowest offset that is free during its live
// range. a [0, 2] of 100 bytes, b [1, 3] of 50, c [3, 4] of 80: a and c at 0, b at 128 (64-byte
// aligned).
#include "compile/plan/live_ranges.hpp"

#include <numeric>

namespace chop::compile {
namespace {

constexpr std::size_t kAlignment = 64;

bool meet(const LiveRange& a, const LiveRange& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

std::size_t assign_offsets(std::vector<LiveRange>& values) {
  std::vector<std::size_t> by_size(values.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) { return values[a].bytes > values[b].bytes; });
  std::vector<const LiveRange*> placed;  // sorted by offset
  std::size_t total = 0;
  for (const std::size_t at : by_size) {
    LiveRange& value = values[at];
    const std::size_t need = (value.bytes + kAlignment - 1) / kAlignment * kAlignment;
    std::size_t offset = 0;
    for (const LiveRange* other : placed) {
      if (!meet(value, *other)) continue;
      if (offset + need <= other->offset) break;
      const std::size_t end =
          other->offset + (other->bytes + kAlignment - 1) / kAlignment * kAlignment;
      offset = std::max(offset, end);
    }
    value.offset = offset;
    total = std::max(total, offset + need);
    placed.insert(std::upper_bound(
                      placed.begin(), placed.end(), &value,
                      [](const LiveRange* a, const LiveRange* b) { return a->offset < b->offset; }),
                  &value);
  }
  return total;
}

}  // namespace chop::compile
