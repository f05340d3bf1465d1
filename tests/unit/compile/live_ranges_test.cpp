#include "compile/plan/live_ranges.hpp"

#include <gtest/gtest.h>

#include "support/rng.hpp"

namespace chop {
namespace {

bool meet(const LiveRange& a, const LiveRange& b) {
  return a.first <= b.last && b.first <= a.last;
}

bool overlap(const LiveRange& a, const LiveRange& b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

std::vector<LiveRange> random_ranges(std::uint64_t seed) {
  const Stream stream(seed, "lifetimes");
  std::uint64_t n = 0;
  const std::size_t steps = 1 + stream.below(n++, 40);
  std::vector<LiveRange> values(stream.below(n++, 60));
  for (LiveRange& value : values) {
    value.bytes = stream.below(n++, 5) == 0 ? 0 : stream.below(n++, 5000);
    value.first = stream.below(n++, steps);
    value.last = value.first + stream.below(n++, steps - value.first);
  }
  return values;
}

TEST(Memory, ValuesThatLiveTogetherNeverShareBytes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<LiveRange> values = random_ranges(seed);
    const std::size_t total = assign_offsets(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i].offset % 64, 0U);
      EXPECT_LE(values[i].offset + values[i].bytes, total);
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_FALSE(meet(values[i], values[j]) && overlap(values[i], values[j]))
            << "seed " << seed << ", values " << j << " and " << i;
    }
  }
}

TEST(Memory, ValuesThatFollowEachOtherShareBytes) {
  std::vector<LiveRange> values;
  for (std::size_t i = 0; i < 10; ++i) values.push_back({.bytes = 1000, .first = i, .last = i});
  EXPECT_EQ(assign_offsets(values), 1024U);
}

TEST(Memory, AValueReadAndOneWrittenInTheSameStepLieApart) {
  std::vector<LiveRange> values = {{.bytes = 64, .first = 0, .last = 1},
                                   {.bytes = 64, .first = 1, .last = 2}};
  EXPECT_EQ(assign_offsets(values), 128U);
}

TEST(Memory, APlanWithoutValuesNeedsNoMemory) {
  std::vector<LiveRange> none;
  EXPECT_EQ(assign_offsets(none), 0U);
}

}  // namespace
}  // namespace chop
