#include "search/store/sql_link.hpp"

#include <cassert>

#include "support/system/log.hpp"

namespace chop::search {
namespace {

using Clock = std::chrono::steady_clock;

/// Runs one task at a time on a thread of its own.
class Errand {
 public:
  Errand() : thread_([this] { loop(); }) {}
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;
  ~Errand() {
    wait();
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void start(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      task_ = std::move(task);
    }
    changed_.notify_all();
  }

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

class SqlLink final : public StudyLink {
 public:
  SqlLink(std::unique_ptr<SqlConnection> connection, SqlConnect connect, SqlStudy study,
          const LinkOptions& options)
      : connection_(std::move(connection)),
        study_(std::move(study)),
        options_(options),
        mirror_(study_.id, connection_->dialect(), options.heartbeat > 0),
        pulse_(std::move(connect), options.heartbeat) {}
  SqlLink(const SqlLink&) = delete;
  SqlLink& operator=(const SqlLink&) = delete;
  ~SqlLink() override {
    errand_.wait();
    if (!holding_ && !pending_) (void)flush();
  }

  Result<StudyNews> take() override {
    CH_CHECK(finish_pending());
    assert(!holding_ && "take() and give() come in turns");
    CH_CHECK(persistently([this] { return hold(); }));
    StudyNews news{.stale = std::exchange(stale_, {})};
    for (auto& [number, trial] : std::exchange(news_, {})) news.trials.push_back(std::move(trial));
    return news;
  }

  Status give(StudyChanges changes) override {
    assert(holding_ && "give() comes after take()");
    std::vector<TrialReport> reports = pulse_.take_reports();
    if (changes.empty() && reports.empty()) {
      release();
      return {};
    }
    if (Status status = check_values(changes); !status) {
      release();
      return status;
    }
    mirror_.reserve(changes.added.size());
    pending_ = Pending{std::move(changes), std::move(reports)};
    errand_.start([this] { outcome_ = store(); });
    return {};
  }

  Status report(std::int64_t number, std::int64_t step, double value) override {
    pulse_.report({number, step, value});
    return {};
  }

  Status flush() override {
    CH_CHECK(finish_pending());
    assert(!holding_ && "flush() does not come between take() and give()");
    std::vector<TrialReport> reports = pulse_.take_reports();
    if (reports.empty()) return {};
    pending_ = Pending{{}, std::move(reports)};
    outcome_ = store();
    return finish_pending();
  }

 private:
  /// What is on its way to the data base.
  struct Pending {
    StudyChanges changes;
    std::vector<TrialReport> reports;
  };

  /// Waits for what give() left behind. An error is told once; then it is tried again.
  Status finish_pending() {
    errand_.wait();
    if (!pending_) return {};
    if (!outcome_ && std::exchange(told_, true)) outcome_ = store();
    if (!outcome_) {
      told_ = true;
      return outcome_;
    }
    told_ = false;
    pending_.reset();
    return {};
  }

  /// Begins a transaction that holds the study and sees what is new in it.
  Status hold() {
    CH_CHECK(execute(*connection_, {connection_->dialect().begin}));
    const auto failed = [this](Error error) {
      if (!connection_->is_lost()) (void)execute(*connection_, {"ROLLBACK"});
      return error;
    };
    Result<SqlRows> rows = connection_->query({connection_->dialect().lock_study, {study_.id}});
    if (!rows) return failed(std::move(rows).error());
    if (rows.value().empty())
      return failed({.what = cat("the study '", study_.name, "' was deleted from '",
                                 connection_->shown(), "' while it was in use")});
    if (Status status = look(); !status) return failed(std::move(status).error());
    transaction_ = text_of(rows.value().at(0).at(1));
    holding_ = true;
    return {};
  }

  /// News, and every now and then who is silent.
  Status look() {
    const bool before = mirror_.has_read();
    for (int round = before ? 1 : 0; round < 2; ++round) {
      CH_TRY(std::vector<Trial> news, mirror_.news(*connection_));
      for (Trial& trial : news) news_[trial.number] = std::move(trial);
    }
    if (options_.heartbeat <= 0 || (before && Clock::now() < next_check_)) return {};
    const double grace = options_.grace > 0 ? options_.grace : 3 * options_.heartbeat;
    CH_TRY(stale_, mirror_.stale(*connection_, grace));
    next_check_ = Clock::now() + clock_seconds(options_.heartbeat);
    return {};
  }

  void release() {
    (void)execute(*connection_, {"ROLLBACK"});
    holding_ = false;
  }

  Status store() {
    return persistently([this] { return try_to_store(); });
  }

  Status try_to_store() {
    if (!holding_) {
      CH_TRY(const bool committed, was_committed());
      if (committed) return settle();
      CH_CHECK(hold());
    }
    holding_ = false;
    Status status = mirror_.write(*connection_, pending_->changes, pending_->reports);
    if (status) return settle();
    if (!connection_->is_lost()) {
      (void)execute(*connection_, {"ROLLBACK"});
      transaction_.clear();
    }
    return status;
  }

  Status settle() {
    transaction_.clear();
    mirror_.settle(pending_->changes);
    pulse_.set_running(mirror_.own());
    return {};
  }

  /// The connection may have been lost when the server had committed but not said so.
  Result<bool> was_committed() {
    undecided_ = false;
    const std::string_view outcome = connection_->dialect().outcome;
    if (transaction_.empty() || outcome.empty()) return false;
    CH_TRY(const SqlRows rows, connection_->query({outcome, {transaction_}}));
    const std::string state = rows.empty() ? "" : text_of(rows[0].at(0));
    undecided_ = state == "in progress";
    if (undecided_) return Error{.what = "the server has not noticed yet that it was cut off"};
    if (state != "committed") return false;
    // A server that crashed may have given the name to another transaction since.
    return mirror_.is_stored(*connection_, pending_->changes);
  }

  /// Tries again while the connection is lost, for as long as the options say.
  template <class Attempt>
  Status persistently(Attempt attempt) {
    const Clock::time_point last = Clock::now() + clock_seconds(options_.patience);
    for (int failures = 0;; ++failures) {
      Status status = attempt();
      if (status && failures > 0) log_info(cat("Connected to '", connection_->shown(), "' again"));
      if (status || !(connection_->is_lost() || undecided_)) return status;
      if (Clock::now() > last)
        return std::move(status).error().note(
            cat("tried again for ", options_.patience, " s; nothing is stored since then"));
      if (failures == 0)
        log_warning(cat("The connection to '", connection_->shown(),
                        "' is lost; what is finished stays in memory meanwhile"));
      std::this_thread::sleep_for(std::chrono::milliseconds(failures < 10 ? 100 : 1000));
      if (connection_->is_lost()) (void)connection_->reconnect();
    }
  }

  std::unique_ptr<SqlConnection> connection_;
  SqlStudy study_;
  LinkOptions options_;
  StudyMirror mirror_;
  std::string transaction_;  ///< the name of the last one whose end is not known
  bool holding_ = false;
  bool undecided_ = false;
  std::map<std::int64_t, Trial> news_;  ///< not told yet, by number
  std::vector<std::int64_t> stale_;
  Clock::time_point next_check_;
  std::optional<Pending> pending_;
  Status outcome_;
  bool told_ = false;
  SqlPulse pulse_;
  Errand errand_;  ///< last, so that it ends first
};

}  // namespace

Result<std::unique_ptr<StudyLink>> open_link(SqlConnect connect, const SqlStudy& study,
                                             const LinkOptions& options) {
  CH_TRY(std::unique_ptr<SqlConnection> connection, connect());
  return std::unique_ptr<StudyLink>(
      std::make_unique<SqlLink>(std::move(connection), std::move(connect), study, options));
}

}  // namespace chop::search
