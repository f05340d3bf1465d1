// Batches gathered ahead are those gathered on the spot, however fast they are taken.
#include "data/feeder.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace chop {
namespace {

Split numbered(std::int64_t rows, std::int64_t width) {
  Split split{Tensor(DType::F32, {rows, width}), Tensor(DType::I64, {rows})};
  auto x = split.x.mutable_data<float>();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 100003);
  auto y = split.y.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<std::int64_t>(i * 7 % 1000);
  return split;
}

/// One epoch from batch `first` to before `last`, waiting now and then.
void expect_an_epoch(BatchFeeder& feeder, const RowGatherer& gatherer, const BatchOrder& order,
                     std::int64_t first, std::int64_t last, int wait_every) {
  std::vector<float> x, expected_x;
  std::vector<std::int64_t> y, expected_y;
  feeder.start(first);
  for (std::int64_t b = first; b < last; ++b) {
    const std::span<const std::uint32_t> rows = order.batch(b);
    x.assign(rows.size() * gatherer.width(), -1);
    y.assign(rows.size(), -1);
    expected_x = x;
    expected_y = y;
    feeder.take(b, x.data(), y.data());
    gatherer.gather(rows, expected_x.data(), expected_y.data());
    ASSERT_EQ(x, expected_x) << "batch " << b;
    ASSERT_EQ(y, expected_y) << "batch " << b;
    if (wait_every > 0 && b % wait_every == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

TEST(BatchFeeder, GivesTheBatchesThatDirectGatheringGives) {
  struct Case {
    std::int64_t rows, width, batch;
  };
  for (const Case& c : {Case{10007, 16, 256}, Case{5000, 3, 1}, Case{1000, 40000, 10},
                        Case{300, 700, 300}, Case{70001, 16, 64}}) {
    const Split split = numbered(c.rows, c.width);
    const RowGatherer gatherer(split);
    BatchOrder order(c.rows, c.batch, 3);
    BatchFeeder feeder(gatherer, order, c.batch);
    for (const int wait_every : {0, 3, 50}) {
      feeder.stop();
      order.start_epoch(static_cast<std::uint64_t>(wait_every));
      expect_an_epoch(feeder, gatherer, order, 0, order.batches(), wait_every);
    }
  }
}

TEST(BatchFeeder, BeginsAndStopsAnywhere) {
  const Split split = numbered(20000, 16);
  const RowGatherer gatherer(split);
  BatchOrder order(20000, 32, 3);
  BatchFeeder feeder(gatherer, order, 32);
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    feeder.stop();
    order.start_epoch(epoch);
    const auto first = static_cast<std::int64_t>(epoch * 31 % 600);
    expect_an_epoch(feeder, gatherer, order, first, std::min(first + 40, order.batches()), 0);
  }
  feeder.stop();
  feeder.stop();
  feeder.start(order.batches());  // nothing is left
}

}  // namespace
}  // namespace chop
