#include "runtime/plan/memory.hpp"

#include <algorithm>
#include <numeric>

namespace chop::runtime {
namespace {

constexpr std::size_t kAlignment = 64;

bool meet(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

std::size_t assign_offsets(std::vector<Lifetime>& values) {
  std::vector<std::size_t> by_size(values.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) { return values[a].bytes > values[b].bytes; });
  std::vector<const Lifetime*> placed;  // sorted by offset
  std::size_t total = 0;
  for (const std::size_t at : by_size) {
    Lifetime& value = values[at];
    const std::size_t need = (value.bytes + kAlignment - 1) / kAlignment * kAlignment;
    std::size_t offset = 0;
    for (const Lifetime* other : placed) {
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
                      [](const Lifetime* a, const Lifetime* b) { return a->offset < b->offset; }),
                  &value);
  }
  return total;
}

}  // namespace chop::runtime
