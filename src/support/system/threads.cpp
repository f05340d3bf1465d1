// A pool of worker threads. Each thread first runs its own range of tasks, the same in every call,
// then steals those of others; workers spin for 50 us before they sleep.
#include "support/system/threads.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "support/system/denormals.hpp"

namespace chop::support {
namespace {

thread_local bool inside_task = false;

/// Spins on `ready` for a moment before the caller sleeps: steps of a plan follow each other within
/// microseconds, and waking a thread takes longer than that.
template <class Ready>
bool spin(Ready ready) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(50);
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
  } while (Clock::now() < end);
  return ready();
}

/// One call of parallel_for. Each thread first runs its own range of tasks, the same in every call,
/// so that what it wrote in one step of a plan is in its cache for the next. Then it steals tasks
/// of others.
struct Job {
  static constexpr int kMostLanes = 64;
  struct alignas(64) Lane {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
  };

  Job(TaskRef of, std::int64_t tasks, int threads)
      : task(of), count(tasks), lanes(std::min(threads, kMostLanes)), seats(threads - 1) {
    for (int i = 0; i < lanes; ++i) {
      lane[static_cast<std::size_t>(i)].next = count * i / lanes;
      lane[static_cast<std::size_t>(i)].end = count * (i + 1) / lanes;
    }
  }

  TaskRef task;
  Denormals denormals = denormals_here();  ///< as the caller treats them
  std::int64_t count;
  int lanes;
  std::array<Lane, kMostLanes> lane;
  std::atomic<std::int64_t> started{0};
  std::atomic<std::int64_t> done{0};
  std::atomic<int> seats;  ///< workers that may still join
  std::mutex mutex;
  std::condition_variable finished;
  std::exception_ptr failure;  ///< the first one a task threw

  /// Runs tasks, those of range `own` first.
  void work(int own) {
    const DenormalScope scope(denormals);
    inside_task = true;
    std::int64_t mine = 0;
    for (int l = 0; l < lanes; ++l) {
      Lane& from = lane[static_cast<std::size_t>((own + l) % lanes)];
      if (from.next >= from.end) continue;
      for (std::int64_t i = from.next++; i < from.end; i = from.next++, ++mine) {
        ++started;
        run(i);
      }
    }
    inside_task = false;
    if (mine > 0 && (done += mine) == count) {
      const std::lock_guard lock(mutex);
      finished.notify_all();
    }
  }

 private:
  void run(std::int64_t i) {
    try {
      task(i);
    } catch (...) {  // out of memory, or a library's: rethrown in the caller
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }
};

class Pool {
 public:
  static Pool& instance() {
    static Pool pool;
    return pool;
  }

  void run(int threads, std::int64_t count, TaskRef task) {
    const int wanted = static_cast<int>(std::min<std::int64_t>(threads, count));
    const auto job = std::make_shared<Job>(task, count, wanted);
    {
      const std::lock_guard lock(mutex_);
      while (static_cast<int>(workers_.size()) < wanted - 1) {
        const int number = static_cast<int>(workers_.size()) + 1;
        try {
          workers_.emplace_back([this, number] { serve(number); });
        } catch (const std::system_error&) {  // no memory for a stack: those there are do the work
          break;
        }
      }
      jobs_.push_back(job);
      ++posted_;
    }
    if (asleep_ > 0) wake_.notify_all();
    job->work(0);
    if (!spin([&] { return job->done == count; })) {
      std::unique_lock lock(job->mutex);
      job->finished.wait(lock, [&] { return job->done == count; });
    }
    {
      const std::lock_guard lock(mutex_);
      std::erase(jobs_, job);
    }
    if (job->failure) std::rethrow_exception(job->failure);
  }

 private:
  Pool() = default;
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  std::shared_ptr<Job> take() {
    for (const auto& job : jobs_)
      if (job->started < job->count && job->seats > 0) {
        --job->seats;
        return job;
      }
    return nullptr;
  }

  void serve(int number) {
    std::unique_lock lock(mutex_);
    while (true) {
      std::shared_ptr<Job> job = take();
      if (job == nullptr) {
        ++asleep_;
        wake_.wait(lock, [&] { return stopping_ || (job = take()) != nullptr; });
        --asleep_;
      }
      if (job == nullptr) return;
      const std::uint64_t seen = posted_;
      lock.unlock();
      job->work(number);
      spin([&] { return posted_ != seen; });
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::shared_ptr<Job>> jobs_;
  std::vector<std::thread> workers_;
  std::atomic<std::uint64_t> posted_{0};  ///< jobs so far
  std::atomic<int> asleep_{0};            ///< workers that must be woken
  bool stopping_ = false;
};

}  // namespace

int hardware_threads() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(int threads, std::int64_t count, TaskRef task) {
  if (threads <= 1 || count <= 1 || inside_task) {
    for (std::int64_t i = 0; i < count; ++i) task(i);
    return;
  }
  Pool::instance().run(threads, count, task);
}

}  // namespace chop::support
