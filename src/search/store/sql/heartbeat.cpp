// One thread for two kinds of due work: heartbeats every interval, reports 200 ms after the first
// of them. It waits on a condition variable until the earlier of the two. Reports that could not be
// stored go back in front of the queue and are tried again after a second.
#include "search/store/sql/heartbeat.hpp"

#include "support/system/log.hpp"

namespace chop::search {
namespace {

/// Reports wait this long, so that several are stored by one transaction.
constexpr std::chrono::milliseconds kReportDelay(200);

}  // namespace

std::chrono::steady_clock::duration clock_seconds(double seconds) {
  constexpr double kYear = 366.0 * 24 * 60 * 60;
  const std::chrono::duration<double> span(std::min(seconds, kYear));
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(span);
}

Heartbeat::Heartbeat(SqlConnect connect, double seconds)
    : connect_(std::move(connect)),
      interval_(clock_seconds(seconds)),
      next_beat_(Clock::now() + interval_) {}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Heartbeat::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
}

void Heartbeat::set_running(std::map<std::int64_t, std::int64_t> running) {
  const std::lock_guard lock(mutex_);
  running_ = std::move(running);
  if (!running_.empty() && interval_.count() > 0) start();
}

void Heartbeat::report(const TrialReport& report) {
  const std::lock_guard lock(mutex_);
  start();
  if (reports_.empty()) {
    reports_due_ = Clock::now() + kReportDelay;
    wake_.notify_all();
  }
  reports_.push_back(report);
}

std::vector<TrialReport> Heartbeat::take_reports() {
  const std::lock_guard lock(mutex_);
  return std::exchange(reports_, {});
}

void Heartbeat::loop() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const bool beats = interval_.count() > 0;
    if (!beats && reports_.empty()) {
      wake_.wait(lock);
      continue;
    }
    Clock::time_point due = beats ? next_beat_ : reports_due_;
    if (!reports_.empty()) due = std::min(due, reports_due_);
    if (Clock::now() < due)
      wake_.wait_until(lock, due);
    else
      beat(lock);
  }
}

void Heartbeat::beat(std::unique_lock<std::mutex>& lock) {
  const Clock::time_point now = Clock::now();
  std::vector<std::int64_t> alive;
  if (interval_.count() > 0 && now >= next_beat_) {
    next_beat_ = now + interval_;
    for (const auto& [number, id] : running_) alive.push_back(id);
  }
  const auto ids = running_;
  // Trials that are just being stored have no row yet: their reports stay for later.
  const auto known = std::stable_partition(
      reports_.begin(), reports_.end(),
      [&ids](const TrialReport& report) { return ids.count(report.number) == 0; });
  const std::vector<TrialReport> sent(known, reports_.end());
  reports_.erase(known, reports_.end());
  reports_due_ = now + kReportDelay;
  lock.unlock();
  const Status status = write(alive, sent, ids);
  lock.lock();
  if (status) {
    warned_ = false;
    return;
  }
  reports_.insert(reports_.begin(), sent.begin(), sent.end());
  reports_due_ = Clock::now() + std::chrono::seconds(1);
  if (!std::exchange(warned_, true))
    log_warning(cat("The heartbeat cannot be stored: ", status.error().what));
}

Status Heartbeat::write(std::span<const std::int64_t> alive, std::span<const TrialReport> reports,
                        const std::map<std::int64_t, std::int64_t>& ids) {
  if (alive.empty() && reports.empty()) return {};
  if (!connection_) {
    CH_TRY(connection_, connect_());
  } else if (connection_->is_lost()) {
    CH_CHECK(connection_->reconnect());
  }
  const SqlDialect& dialect = connection_->dialect();
  std::vector<SqlCommand> commands = {{dialect.begin}};
  const std::string beat = cat("UPDATE trial_heartbeats SET heartbeat = ", dialect.now,
                               " WHERE trial_id", dialect.in_list);
  if (!alive.empty()) commands.push_back({beat, {list_argument(dialect, alive)}});
  const TrialWriter writer(dialect);
  for (const TrialReport& report : reports)
    writer.set_report(ids.at(report.number), report.step, report.value, commands);
  commands.push_back({"COMMIT"});
  Status status = connection_->execute(commands);
  if (!status && !connection_->is_lost()) (void)execute(*connection_, {"ROLLBACK"});
  return status;
}

}  // namespace chop::search
