// Members spin at meetings, which are microseconds apart, and give way to other threads when
// somebody is late: then the machine is busy.
#include "runtime/team.hpp"

#include <chrono>
#include <thread>

namespace chop::runtime {
namespace {

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Whether it took so long that other threads were given way.
template <class Ready>
bool wait_for(Ready ready) {
  constexpr int kSpins = 1 << 12;
  int i = 0;
  for (; !ready(); ++i) i < kSpins ? pause() : std::this_thread::yield();
  return i > kSpins;
}

/// Whether it becomes true within some microseconds; a moment longer where teams are wanted anyway.
template <class Ready>
bool wait_briefly(Ready ready) {
  constexpr int kSpins = 1 << 9;
  constexpr std::chrono::milliseconds kMoment(50);
  for (int i = 0; i < kSpins && !ready(); ++i) pause();
  if (sharing() != Sharing::Always) return ready();
  const auto end = std::chrono::steady_clock::now() + kMoment;
  while (!ready() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return ready();
}

enum class Start : std::uint8_t { Open, Together, Never };

}  // namespace

void MeetingPlace::meet(int member, int count, std::uint32_t time) {
  came_.at(static_cast<std::size_t>(member)).times.store(time, std::memory_order_release);
  for (int other = 0; other < count; ++other) {
    const std::atomic<std::uint32_t>& times = came_.at(static_cast<std::size_t>(other)).times;
    if (wait_for([&] { return times.load(std::memory_order_acquire) >= time; }))
      late_.store(true, std::memory_order_relaxed);
  }
}

void Member::meet() {
  if (count_ > 1) place_->meet(number_, count_, ++met_);
  for (const Later& work : later_) work(*this);
  later_.clear();
}

void fetch(const float* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += 16) __builtin_prefetch(from + i, 0);
}
void fetch_to_write(const float* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += 16) __builtin_prefetch(from + i, 1);
}

bool run_team(int count, const std::function<void(Member&)>& work) {
  MeetingPlace place;
  std::atomic<int> here{1};
  std::atomic<Start> start{Start::Open};
  parallel_short(count, [&](std::int64_t number) {
    if (number == 0) {
      const bool all = wait_briefly([&] { return here.load(std::memory_order_acquire) == count; });
      start.store(all ? Start::Together : Start::Never, std::memory_order_release);
    } else if (start.load(std::memory_order_acquire) == Start::Open) {
      here.fetch_add(1, std::memory_order_acq_rel);
      wait_for([&] { return start.load(std::memory_order_acquire) != Start::Open; });
    } else {
      return;  // too late: the caller has given up
    }
    if (start.load(std::memory_order_acquire) == Start::Never) return;
    Member member(static_cast<int>(number), count, &place);
    work(member);
  });
  const bool together = start == Start::Together;
  if (!together || place.was_late()) rest_short_threads();
  return together;
}

}  // namespace chop::runtime
