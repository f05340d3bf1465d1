// The heartbeat of a process: a thread with a connection of its own that renews the timestamps of
// the process's running trials every few seconds, and stores the intermediate values they report.
// A trial whose timestamp grows old has lost its worker, and another process tries it again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "search/store/sql/study_cache.hpp"

namespace chop::search {

/// `seconds` as a duration, at most a year: the clock would overflow.
std::chrono::steady_clock::duration clock_seconds(double seconds);

class Heartbeat {
 public:
  /// A beat every `seconds`; 0: none, intermediate values only.
  Heartbeat(SqlConnect connect, double seconds);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat();

  /// Row ids of the running trials, by number.
  void set_running(std::map<std::int64_t, std::int64_t> running);
  void report(const TrialReport& report);
  /// Reports that are not stored yet: the caller stores them with its own changes.
  std::vector<TrialReport> take_reports();

 private:
  using Clock = std::chrono::steady_clock;

  void loop();
  void beat(std::unique_lock<std::mutex>& lock);
  void start();
  Status write(std::span<const std::int64_t> alive, std::span<const TrialReport> reports,
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
