// Batch orders: every row once, the same for the same key, and gathered as they stand.
#include "data/loader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/rng.hpp"

namespace chop {
namespace {

std::vector<std::uint32_t> all_rows(const BatchOrder& order) {
  std::vector<std::uint32_t> rows;
  for (std::int64_t b = 0; b < order.batches(); ++b) {
    const auto batch = order.batch(b);
    rows.insert(rows.end(), batch.begin(), batch.end());
  }
  return rows;
}

TEST(BatchOrder, EveryRowComesOnceAndTheLastBatchMayBeShort) {
  const BatchOrder order(1003, 100, 5);
  EXPECT_EQ(order.batches(), 11);
  EXPECT_EQ(order.batch(10).size(), 3U);
  std::vector<std::uint32_t> rows = all_rows(order);
  EXPECT_FALSE(std::is_sorted(rows.begin(), rows.end()));
  std::sort(rows.begin(), rows.end());
  std::vector<std::uint32_t> expected(1003);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(rows, expected);
}

TEST(BatchOrder, DependsOnSeedAndEpochAlone) {
  BatchOrder run(500, 32, 5);
  const std::vector<std::uint32_t> epoch0 = all_rows(run);
  run.start_epoch(1);
  run.start_epoch(2);
  const std::vector<std::uint32_t> epoch2 = all_rows(run);
  BatchOrder resumed(500, 64, 5);
  resumed.start_epoch(2);
  EXPECT_EQ(all_rows(resumed), epoch2);
  EXPECT_NE(epoch0, epoch2);
  EXPECT_NE(all_rows(BatchOrder(500, 32, 6)), epoch0);
}

TEST(BatchOrder, IsThatOfFisherAndYates) {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 31U, 32U, 33U, 34U, 64U, 65U, 1000U}) {
    std::vector<std::uint32_t> rows(count);
    std::iota(rows.begin(), rows.end(), 0U);
    std::vector<std::uint32_t> expected = rows;
    const Stream stream(5, "shuffle", 7);
    for (std::size_t i = count; i-- > 1;) std::swap(expected[i], expected[stream.below(i, i + 1)]);
    shuffle_rows(rows, 5, 7);
    EXPECT_EQ(rows, expected) << count << " rows";
  }
}

TEST(BatchOrder, IsTheSameWhenComputedAhead) {
  using Ahead = BatchOrder::Ahead;
  BatchOrder ahead(777, 32, 5);
  BatchOrder alone(777, 32, 5);
  for (const std::uint64_t epoch :
       {0U, 1U, 2U, 7U, 8U, 3U}) {  // also when another one is asked for
    ahead.start_epoch(epoch, epoch == 8 ? Ahead::No : Ahead::Yes);
    alone.start_epoch(epoch);
    EXPECT_EQ(all_rows(ahead), all_rows(alone)) << "epoch " << epoch;
  }
  BatchOrder none(0, 4, 1);
  none.start_epoch(1, Ahead::Yes);
  none.start_epoch(2, Ahead::Yes);
  EXPECT_EQ(none.batches(), 0);
}

TEST(BatchOrder, AnEpochCanStartAgain) {
  BatchOrder run(777, 32, 5);
  for (const std::uint64_t epoch : {0U, 0U, 1U, 1U, 0U, 2U, 2U}) {
    run.start_epoch(epoch, BatchOrder::Ahead::Yes);
    BatchOrder afresh(777, 32, 5);
    afresh.start_epoch(epoch + 1);
    afresh.start_epoch(epoch);
    EXPECT_EQ(all_rows(run), all_rows(afresh)) << "epoch " << epoch;
  }
}

TEST(BatchOrder, CanKeepTheStoredOrder) {
  BatchOrder order(5, 2, 5, BatchOrder::Order::AsStored);
  order.start_epoch(3);
  EXPECT_EQ(all_rows(order), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST(BatchOrder, OneRowAndNoRowsWork) {
  EXPECT_EQ(BatchOrder(0, 4, 1).batches(), 0);
  EXPECT_EQ(all_rows(BatchOrder(1, 4, 1)), std::vector<std::uint32_t>{0});
}

TEST(BatchOrder, EveryPositionIsEquallyLikely) {
  std::vector<int> counts(16, 0);
  for (std::uint64_t epoch = 0; epoch < 4000; ++epoch) {
    std::vector<std::uint32_t> rows = {0, 1, 2, 3};
    shuffle_rows(rows, 9, epoch);
    for (std::size_t i = 0; i < 4; ++i) ++counts[4 * i + rows[i]];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Gather, CopiesTheChosenRows) {
  const Split split{.x = Tensor::of<float>({3, 1, 2}, {0, 1, 2, 3, 4, 5}),
                    .y = Tensor::of<std::int64_t>({3}, {7, 8, 9})};
  const std::vector<std::uint32_t> rows = {2, 0, 2};
  std::vector<float> x(6);
  std::vector<std::int64_t> y(3);
  const RowGatherer gatherer(split);
  gatherer.prefetch(rows);
  gatherer.gather(rows, x.data(), y.data());
  EXPECT_EQ(x, (std::vector<float>{4, 5, 0, 1, 4, 5}));
  EXPECT_EQ(y, (std::vector<std::int64_t>{9, 7, 9}));
}

TEST(Gather, CopiesRowsOfEveryWidth) {
  for (const std::int64_t width : {1, 3, 4, 15, 16, 20, 64, 68}) {
    Split split{.x = Tensor(DType::F32, {300, width}), .y = Tensor(DType::I64, {300})};
    float n = 0;
    for (float& x : split.x.mutable_data<float>()) x = n++;
    split.y.mutable_data<std::int64_t>()[7] = 1000;  // more than a byte holds
    const std::vector<std::uint32_t> rows = {7, 299, 0};
    std::vector<float> x(static_cast<std::size_t>(3 * width));
    std::vector<std::int64_t> y(3);
    RowGatherer(split).gather(rows, x.data(), y.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto w = static_cast<std::size_t>(width);
      EXPECT_EQ(x[i], static_cast<float>(rows[i / w] * w + i % w)) << width;
    }
    EXPECT_EQ(y, (std::vector<std::int64_t>{1000, 0, 0}));
  }
}

}  // namespace
}  // namespace chop
