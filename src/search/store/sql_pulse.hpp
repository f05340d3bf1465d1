// The signs of life of a process's running trials, and their intermediate values, written from a
// thread of its own over a connection of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "search/store/sql_mirror.hpp"

namespace chop::search {

/// So many seconds, at most a year: the clock would overflow.
std::chrono::steady_clock::duration clock_seconds(double seconds);

class SqlPulse {
 public:
  /// Beats every `seconds`; 0: never.
  SqlPulse(SqlConnect connect, double seconds);
  SqlPulse(const SqlPulse&) = delete;
  SqlPulse& operator=(const SqlPulse&) = delete;
  ~SqlPulse();

  /// Ids of the running trials by number.
  void set_running(std::map<std::int64_t, std::int64_t> running);
  void report(const TrialReport& report);
  /// Reports nobody has written yet, for whoever writes next.
  std::vector<TrialReport> take_reports();

 private:
  using Clock = std::chrono::steady_clock;

  void loop();
  void beat(std::unique_lock<std::mutex>& lock);
  void start();
  Status write(std::span<const std::int64_t> living, std::span<const TrialReport> reports,
               const std::map<std::int64_t, std::int64_t>& ids);

  SqlConnect connect_;
  Clock::duration interval_;
  std::unique_ptr<SqlConnection> connection_;  ///< of the thread
  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::int64_t, std::int64_t> running_;
  std::vector<TrialReport> reports_;
  Clock::time_point next_beat_;
  Clock::time_point reports_due_;
  bool stop_ = false;
  bool warned_ = false;
  std::thread thread_;
};

}  // namespace chop::search
