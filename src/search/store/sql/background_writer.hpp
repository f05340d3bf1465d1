// A thread that stores what a search has finished while the search goes on: committing to a server
// takes milliseconds, proposing the next trial microseconds.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "support/layers.hpp"

namespace chop::search {

class BackgroundWriter {
 public:
  BackgroundWriter() : thread_([this] { loop(); }) {}
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;
  ~BackgroundWriter() {
    wait();
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// The last task must be over: wait() comes first.
  void start(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      task_ = std::move(task);
    }
    changed_.notify_all();
  }

  /// Until there is no task; what the task wrote is visible then.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !task_; });
  }

 private:
  void loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || task_; });
      if (stop_) return;
      lock.unlock();
      task_();
      lock.lock();
      task_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace chop::search
