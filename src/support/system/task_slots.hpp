// Where the threads of a pool (threads.cpp) meet: slots for calls of parallel_for and
// parallel_short.
//
// A slot lives as long as the pool and serves one call after the other. Threads spin for 50 us
// before they sleep; nothing is locked or allocated while they spin.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "support/system/denormals.hpp"
#include "support/system/threads.hpp"

namespace chop::support {

using Clock = std::chrono::steady_clock;

inline thread_local bool inside_task = false;

/// Spins on `ready` for a moment before the caller sleeps: steps of a plan follow each other within
/// microseconds, and waking a thread takes longer than that.
template <class Ready>
bool spin(Ready ready) {
  Clock::time_point end = Clock::time_point::max();
  while (true) {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
    const Clock::time_point now = Clock::now();
    if (end == Clock::time_point::max()) end = now + std::chrono::microseconds(50);
    if (now >= end) return ready();
  }
}

/// Where workers come into a call of parallel_for: it has a number of seats, and counts those who
/// took one and have not left. The caller closes it when no task is left to begin, and waits for
/// them. A worker that comes late finds no seat, and nobody waits for it.
class Gate {
 public:
  static constexpr int kMostSeats = 0xFFFF;

  void open(int seats) { state_ = kSeat * static_cast<std::uint64_t>(seats); }
  bool has_seats() const { return (state_ & kSeats) != 0; }
  /// The number of the seat that a worker takes, from 1; 0 when there is none. It has to leave().
  int enter() { return take(kOne); }
  /// The same for a thread that is inside already, or for the caller.
  int take_another() { return take(0); }

  void leave() {
    const std::uint64_t before = state_.fetch_sub(kOne);
    if ((before & kAsleep) == 0 || (before & kInside) != kOne) return;
    const std::lock_guard lock(mutex_);
    left_.notify_all();
  }
  /// Lets no more workers in and waits until all have left; returns how long it slept.
  Clock::duration close() {
    const auto empty = [this] { return (state_ & kInside) == 0; };
    if ((state_.fetch_and(~kSeats) & kInside) == 0 || spin(empty)) return {};
    const Clock::time_point start = Clock::now();
    std::unique_lock lock(mutex_);
    state_ |= kAsleep;
    left_.wait(lock, empty);
    return Clock::now() - start;
  }

 private:
  // Workers inside, the number of free seats, whether the caller sleeps.
  static constexpr std::uint64_t kOne = 1;
  static constexpr std::uint64_t kInside = kMostSeats;
  static constexpr std::uint64_t kSeat = kInside + 1;
  static constexpr std::uint64_t kSeats = kInside * kSeat;
  static constexpr std::uint64_t kAsleep = kSeat * kSeat;

  int take(std::uint64_t more) {
    std::uint64_t state = state_.load();
    while ((state & kSeats) != 0)
      if (state_.compare_exchange_weak(state, state - kSeat + more))
        return static_cast<int>((state & kSeats) / kSeat);
    return 0;
  }

  alignas(64) std::atomic<std::uint64_t> state_{0};
  std::mutex mutex_;
  std::condition_variable left_;
};

/// One call while it runs.
class Slot {
 public:
  /// Whether the slot was free, and is the caller's until release().
  bool acquire() {
    return !taken_.test(std::memory_order_relaxed) &&
           !taken_.test_and_set(std::memory_order_acquire);
  }
  void release() { taken_.clear(std::memory_order_release); }
  bool has_seats() const { return gate_.has_seats(); }

 protected:
  /// As the caller treats denormal numbers, all tasks do.
  void prepare(TaskRef task) {
    task_ = task;
    denormals_ = denormals_here();
    failure_ = nullptr;
  }
  void run(std::int64_t i) {
    try {
      task_(i);
    } catch (...) {  // out of memory, or a library's: rethrown in the caller
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
  /// What the caller does at the end.
  Clock::duration finish() {
    const Clock::duration slept = gate_.close();
    const std::exception_ptr failure = std::exchange(failure_, nullptr);
    release();
    if (failure) std::rethrow_exception(failure);
    return slept;
  }

  Gate gate_;
  TaskRef task_{[](std::int64_t /*task*/) {}};
  Denormals denormals_ = Denormals::Kept;

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;  ///< the first one a task threw
  std::atomic_flag taken_;
};

/// Each thread first runs its own range of tasks, the same in every call, so that what it wrote in
/// one step of a plan is in its cache for the next. Then it steals tasks of others.
class LongSlot : public Slot {
 public:
  void open(int threads, std::int64_t count, TaskRef task) {
    prepare(task);
    lanes_ = std::min(threads, kMostLanes);
    for (int i = 0; i < lanes_; ++i) {
      lane(i).next.store(count * i / lanes_, std::memory_order_relaxed);
      lane(i).end = count * (i + 1) / lanes_;
    }
    gate_.open(threads - 1);
  }
  Clock::duration call() {
    work(0);
    return finish();
  }
  bool help(int worker) {
    if (gate_.enter() == 0) return false;
    work(worker);
    gate_.leave();
    return true;
  }

 private:
  static constexpr int kMostLanes = 64;
  struct alignas(64) Lane {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
  };
  Lane& lane(int i) { return lane_[static_cast<std::size_t>(i)]; }

  /// Runs tasks, those of range `own` first, until none is left to begin.
  void work(int own) {
    const DenormalScope scope(denormals_);
    inside_task = true;
    for (int l = 0; l < lanes_; ++l) {
      Lane& from = lane((own + l) % lanes_);
      if (from.next.load(std::memory_order_relaxed) >= from.end) continue;
      for (std::int64_t i = from.next++; i < from.end; i = from.next++) run(i);
    }
    inside_task = false;
  }

  int lanes_ = 0;
  std::array<Lane, kMostLanes> lane_;
};

/// Few tasks of a few microseconds: task 0 is the caller's, every other a seat of the gate. All
/// that threads tell each other is in one cache line.
class ShortSlot : public Slot {
 public:
  void open(int tasks, TaskRef task) {
    prepare(task);
    gate_.open(tasks - 1);
  }
  Clock::duration call() {
    work(0);
    return finish();
  }
  /// Waits for a worker to take the only seat and to leave, but not for long.
  bool was_helped() {
    const bool taken = spin([this] { return !gate_.has_seats(); });
    gate_.close();
    return taken;
  }
  bool help() {
    const int seat = gate_.enter();
    if (seat == 0) return false;
    const DenormalScope scope(denormals_);
    work(seat);
    gate_.leave();
    return true;
  }

 private:
  void work(int seat) {
    inside_task = true;
    do run(seat);
    while ((seat = gate_.take_another()) != 0);
    inside_task = false;
  }
};

}  // namespace chop::support
