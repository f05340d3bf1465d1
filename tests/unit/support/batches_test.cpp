// Rows cut into batches, and batches run on lanes.
#include "support/system/batches.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <vector>

namespace chop {
namespace {

TEST(Batches, TheLastMayBeSmaller) {
  const Batches batches{10, 4};
  EXPECT_EQ(batches.count(), 3);
  EXPECT_EQ(batches.first_row(2), 8);
  EXPECT_EQ(batches.rows_in(0), 4);
  EXPECT_EQ(batches.rows_in(2), 2);
  EXPECT_EQ(batches.rest(), 2);
  EXPECT_EQ((Batches{8, 4}.rest()), 0);
  EXPECT_EQ((Batches{0, 4}.count()), 0);
}

TEST(Batches, EveryBatchRunsOnceOnItsLane) {
  for (const int lanes : {1, 2, 3, 7}) {
    std::mutex mutex;
    std::multiset<std::int64_t> seen;
    EXPECT_TRUE(for_batches(2, 7, lanes, [&](std::int64_t batch, std::size_t lane) {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(static_cast<std::int64_t>(lane), (batch - 2) % lanes);
      seen.insert(batch);
      return true;
    }));
    EXPECT_EQ(seen, (std::multiset<std::int64_t>{2, 3, 4, 5, 6})) << lanes;
  }
}

TEST(Batches, NoneBeginsAfterOneSaidStop) {
  std::vector<std::int64_t> seen;
  EXPECT_FALSE(for_batches(0, 10, 1, [&](std::int64_t batch, std::size_t) {
    seen.push_back(batch);
    return batch < 3;
  }));
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace chop
