// A pool of worker threads, which wait for work in its slots (task_slots.hpp).
#include "support/system/threads.hpp"

#include <sched.h>

#include <system_error>
#include <thread>

#include "support/system/task_slots.hpp"

namespace chop::support {
namespace {

std::atomic<Sharing> sharing_now = Sharing::WhereItPays;

void run_alone(std::int64_t count, TaskRef task) {
  for (std::int64_t i = 0; i < count; ++i) task(i);
}

class Pool {
 public:
  static Pool& instance() {
    static Pool pool;
    return pool;
  }

  void run(int threads, std::int64_t count, TaskRef task) {
    const int wanted = static_cast<int>(std::min<std::int64_t>({threads, count, kMostThreads}));
    const auto slot = std::find_if(long_slots_.begin(), long_slots_.end(),
                                   [](LongSlot& each) { return each.acquire(); });
    // Callers that take all slots keep all cores busy.
    if (slot == long_slots_.end()) return run_alone(count, task);
    start(wanted - 1);
    slot->open(wanted, count, task);
    wake();
    slot->call();
  }

  void run_short(int tasks, TaskRef task) {
    if (!short_slot_.acquire()) return run_alone(tasks, task);
    start(std::max(1, std::min(tasks, hardware_) - 1));
    short_slot_.open(tasks, task);
    wake();
    const Clock::duration slept = short_slot_.call();
    if (slept == Clock::duration()) return;
    const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(slept).count();
    alone_.store(static_cast<int>(std::min<std::int64_t>(4 * waited, kMostAlone)),
                 std::memory_order_relaxed);
  }

  void rest_short() { alone_.store(kTrialEvery, std::memory_order_relaxed); }

  /// Where a worker was late the machine is busy, and waiting for a thread that is not running
  /// takes longer than all the work: calls, which are a microsecond or two apart, are then done
  /// alone for several times as long as that took. Where processors are far from each other
  /// (chiplets, sockets; virtual ones move about), so is what the others have just computed: that
  /// is tried now and then.
  int short_threads(int wanted) {
    const int threads = std::min(wanted, hardware_);
    if (threads <= 1) return 1;
    if (const int alone = alone_.load(std::memory_order_relaxed); alone > 0) {
      alone_.store(alone - 1, std::memory_order_relaxed);
      return 1;
    }
    start(threads - 1);
    if (asleep_ >= started_) {  // they take some time to come
      wake(Call::Ring);
      alone_.store(kWhileWaking, std::memory_order_relaxed);
      return 1;
    }
    const int left = until_trial_.load(std::memory_order_relaxed);
    until_trial_.store(left > 0 ? left - 1 : kTrialEvery, std::memory_order_relaxed);
    if (left > 0 || !short_slot_.acquire()) return threads;
    const bool near = are_near();
    short_slot_.release();
    if (near) return threads;
    alone_.store(kTrialEvery, std::memory_order_relaxed);
    until_trial_.store(0, std::memory_order_relaxed);
    return 1;
  }

 private:
  static constexpr int kMostThreads = 1024;
  static constexpr std::int64_t kMostAlone = 1 << 14;
  static constexpr int kTrialEvery = 1 << 11;
  static constexpr int kWhileWaking = 8;

  Pool() = default;
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  void start(int count) {
    if (started_.load(std::memory_order_relaxed) >= count) return;
    const std::lock_guard lock(mutex_);
    while (started_ < count) {
      const int number = started_ + 1;
      try {
        workers_.emplace_back([this, number] { serve(number); });
      } catch (const std::system_error&) {  // no memory for a stack: those there are do the work
        return;
      }
      ++started_;
    }
  }
  /// Wakes workers because there are seats, or so that they look for some a while.
  enum class Call : std::uint8_t { Seats, Ring };
  void wake(Call call = Call::Seats) {
    if (asleep_ == 0) return;
    {
      const std::lock_guard lock(mutex_);
      if (call == Call::Ring) rung_ = true;
    }
    wake_.notify_all();
  }

  /// Whether workers are there, and a call that does nothing comes back soon: after 0.15 us within
  /// a chiplet, 0.4 us beyond it.
  bool are_near() {
    constexpr Clock::duration kNear = std::chrono::nanoseconds(250);
    Clock::duration best = Clock::duration::max();
    for (int i = 0; i < 8; ++i) {
      const Clock::time_point begin = Clock::now();
      short_slot_.open(2, [](std::int64_t /*task*/) {});
      wake();
      if (!short_slot_.was_helped()) return false;
      best = std::min(best, Clock::now() - begin);
    }
    return best < kNear;
  }

  bool help(int number) {
    if (short_slot_.help()) return true;
    return std::any_of(long_slots_.begin(), long_slots_.end(),
                       [&](LongSlot& slot) { return slot.help(number); });
  }

  void serve(int number) {
    const auto helped = [&] { return help(number) || stopping_; };
    while (!stopping_) {
      if (spin(helped)) continue;
      std::unique_lock lock(mutex_);
      ++asleep_;
      wake_.wait(lock, [&] { return stopping_ || rung_ || has_seats(); });
      rung_ = false;
      --asleep_;
    }
  }
  bool has_seats() const {
    return short_slot_.has_seats() ||
           std::any_of(long_slots_.begin(), long_slots_.end(),
                       [](const LongSlot& slot) { return slot.has_seats(); });
  }

  const int hardware_ = hardware_threads();
  ShortSlot short_slot_;
  std::array<LongSlot, 4> long_slots_;
  alignas(64) std::atomic<int> asleep_{0};  ///< workers that must be woken
  std::atomic<int> started_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<int> alone_{0};        ///< short calls still to be done alone
  std::atomic<int> until_trial_{0};  ///< short calls until it is tried whether they pay
  std::mutex mutex_;
  bool rung_ = false;  ///< under the mutex
  std::condition_variable wake_;
  std::vector<std::thread> workers_;
};

}  // namespace

int hardware_threads() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(int threads, std::int64_t count, TaskRef task) {
  if (threads <= 1 || count <= 1 || inside_task) return run_alone(count, task);
  Pool::instance().run(threads, count, task);
}

void parallel_short(int tasks, TaskRef task) {
  assert(tasks <= Gate::kMostSeats && "short calls have few tasks");
  if (tasks <= 1 || inside_task) return run_alone(tasks, task);
  Pool::instance().run_short(tasks, task);
}

int short_threads(int wanted) {
  if (wanted <= 1 || inside_task) return 1;
  if (sharing_now.load(std::memory_order_relaxed) == Sharing::Always) return wanted;
  return Pool::instance().short_threads(wanted);
}

void rest_short_threads() {
  Pool::instance().rest_short();
}

void set_sharing(Sharing sharing) {
  sharing_now = sharing;
}
Sharing sharing() {
  return sharing_now.load(std::memory_order_relaxed);
}

}  // namespace chop::support
