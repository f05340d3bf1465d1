// The thread pool: every task once, nested calls, many small jobs, callers side by side.
#include "support/system/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/system/denormals.hpp"

namespace chop {
namespace {

TEST(ParallelFor, CallsEveryTaskOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    std::vector<std::atomic<int>> calls(1000);
    parallel_for(threads, 1000, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    for (std::size_t i = 0; i < calls.size(); ++i) ASSERT_EQ(calls[i], 1) << threads << " " << i;
  }
}

TEST(ParallelFor, NoTasksMakeNoCallsAndOneTaskMakesOne) {
  int calls = 0;
  parallel_for(4, 0, [&](std::int64_t) { ++calls; });
  parallel_for(4, -1, [&](std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 0);
  parallel_for(4, 1, [&](std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(ParallelFor, OneThreadIsAPlainLoopInOrder) {
  std::vector<std::int64_t> order;
  parallel_for(1, 5, [&](std::int64_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(ParallelFor, TasksTreatDenormalNumbersAsTheCallerDoes) {
  const auto kept_by = [](int threads) {
    std::atomic<int> kept = 0;
    parallel_for(threads, 64, [&](std::int64_t) {
      if (denormals_here() == Denormals::Kept) ++kept;
    });
    return kept.load();
  };
  for (const int threads : {1, 4}) {
    EXPECT_EQ(kept_by(threads), 64);
    {
      const DenormalScope scope(Denormals::Zero);
      EXPECT_EQ(kept_by(threads), 0);
    }
    EXPECT_EQ(kept_by(threads), 64);
  }
}

TEST(ParallelFor, InnerCallsRunOnTheTasksOwnThread) {
  std::atomic<int> total = 0;
  std::atomic<int> strangers = 0;
  parallel_for(4, 16, [&](std::int64_t) {
    const auto here = std::this_thread::get_id();
    parallel_for(4, 16, [&](std::int64_t) {
      ++total;
      if (std::this_thread::get_id() != here) ++strangers;
      parallel_for(2, 2, [&](std::int64_t) { ++total; });
    });
  });
  EXPECT_EQ(total, 16 * 16 * 3);
  EXPECT_EQ(strangers, 0);
  // The caller is outside a task again, so this one may spread out.
  parallel_for(2, 4, [&](std::int64_t) { ++total; });
  EXPECT_EQ(total, 16 * 16 * 3 + 4);
}

TEST(ParallelFor, ManySmallJobsFollowEachOther) {
  std::atomic<std::int64_t> sum = 0;
  for (int job = 0; job < 20000; ++job) parallel_for(2, 3, [&](std::int64_t i) { sum += i + 1; });
  EXPECT_EQ(sum, 20000 * 6);
}

TEST(ParallelFor, SeveralCallersShareThePool) {
  std::atomic<std::int64_t> sum = 0;
  {
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&] {
        for (int job = 0; job < 500; ++job) parallel_for(3, 10, [&](std::int64_t i) { sum += i; });
      });
    for (std::thread& caller : callers) caller.join();
  }
  EXPECT_EQ(sum, 4 * 500 * 45);
}

TEST(ParallelFor, WhatTasksWroteIsVisibleAfterwards) {
  for (int round = 0; round < 200; ++round) {
    std::vector<int> squares(64);
    parallel_for(4, 64, [&](std::int64_t i) {
      squares[static_cast<std::size_t>(i)] = static_cast<int>(i * i);
    });
    for (int i = 0; i < 64; ++i) ASSERT_EQ(squares[static_cast<std::size_t>(i)], i * i);
  }
}

TEST(ParallelShort, CallsEveryTaskOnce) {
  for (const int tasks : {-1, 0, 1, 2, 3, 8, 100}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(std::max(tasks, 1)));
    for (int round = 1; round <= 50; ++round) {
      parallel_short(tasks, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
      for (int i = 0; i < tasks; ++i) ASSERT_EQ(calls[static_cast<std::size_t>(i)], round) << i;
    }
  }
}

TEST(ParallelShort, FollowEachOtherAndLongCalls) {
  std::int64_t sums[2] = {};
  for (int call = 0; call < 20000; ++call) {
    parallel_short(2, [&](std::int64_t i) { sums[i] += call; });
    if (call % 100 == 0) parallel_for(2, 2, [&](std::int64_t i) { sums[i] += 1; });
  }
  EXPECT_EQ(sums[0], std::int64_t{19999} * 10000 + 200);
  EXPECT_EQ(sums[1], sums[0]);
}

TEST(ParallelShort, SeveralCallersAndInnerCalls) {
  std::atomic<std::int64_t> sum = 0;
  {
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&] {
        for (int call = 0; call < 500; ++call)
          parallel_short(3, [&](std::int64_t i) {
            parallel_short(2, [&](std::int64_t k) { sum += 10 * i + k; });
          });
      });
    for (std::thread& caller : callers) caller.join();
  }
  EXPECT_EQ(sum, 4 * 500 * (2 * 30 + 3));
}

TEST(ParallelShort, WhatATaskThrowsIsThrownAgainOnceAllAreDone) {
  for (const std::int64_t bad : {0, 1, 2}) {
    std::atomic<int> done = 0;
    const auto task = [&](std::int64_t i) {
      if (i == bad) throw std::runtime_error("no");
      ++done;
    };
    EXPECT_THROW(parallel_short(3, task), std::runtime_error);
    EXPECT_EQ(done, 2);
  }
}

TEST(ParallelShort, TasksTreatDenormalNumbersAsTheCallerDoes) {
  const DenormalScope scope(Denormals::Zero);
  std::atomic<int> kept = 0;
  for (int call = 0; call < 100; ++call)
    parallel_short(2, [&](std::int64_t) {
      if (denormals_here() == Denormals::Kept) ++kept;
    });
  EXPECT_EQ(kept, 0);
}

TEST(ShortThreads, AreBetweenOneAndWhatIsWanted) {
  for (const int wanted : {0, 1, 2, 3, 1000})
    for (int call = 0; call < 5000; ++call) {
      const int threads = short_threads(wanted);
      ASSERT_GE(threads, 1);
      ASSERT_LE(threads, std::max(1, wanted));
      ASSERT_LE(threads, hardware_threads());
    }
  parallel_short(2, [](std::int64_t) { EXPECT_EQ(short_threads(4), 1); });
  set_sharing(Sharing::Always);
  EXPECT_EQ(short_threads(4), 4);
  set_sharing(Sharing::WhereItPays);
}

TEST(HardwareThreads, IsAtLeastOne) {
  EXPECT_GE(hardware_threads(), 1);
}

}  // namespace
}  // namespace chop
