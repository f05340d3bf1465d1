// The state machine of session.hpp. For example, a connection that breaks during COMMIT:
//   Writing{changes, tx 42} -> Unstored{changes, tx 42} -> (connected again) what became of 42?
//     committed:   Idle
//     aborted:     lock the study again -> Writing{changes, tx 57} -> Idle
//     in progress: the server has not noticed the loss yet; ask again soon
#include "search/store/sql/session.hpp"

#include <variant>

#include "search/store/sql/background_writer.hpp"
#include "support/system/log.hpp"

namespace chop::search {
namespace {

using Clock = std::chrono::steady_clock;

/// What is on its way to the database.
struct Pending {
  StudyChanges changes;
  std::vector<TrialReport> reports;
};

struct Idle {};
struct Locked {
  std::string transaction;  ///< its id; empty in a database that needs none
};
struct Writing {
  Pending pending;
  std::string transaction;  ///< which locks the study
};
struct Unstored {
  Pending pending;
  std::string transaction;  ///< one that may have committed `pending`; empty: certainly none
};
struct Failed {
  Unstored unstored;
  Error error;  ///< not returned to a caller yet
};

class SqlSession final : public StudySession {
 public:
  SqlSession(std::unique_ptr<SqlConnection> connection, SqlConnect connect, SqlStudy study,
             const SessionOptions& options)
      : connection_(std::move(connection)),
        study_(std::move(study)),
        options_(options),
        cache_(study_.id, connection_->dialect(), options.heartbeat > 0),
        heartbeat_(std::move(connect), options.heartbeat) {}
  SqlSession(const SqlSession&) = delete;
  SqlSession& operator=(const SqlSession&) = delete;
  ~SqlSession() override {
    writer_.wait();
    if (in<Idle>()) (void)flush();
  }

  Result<StudyUpdates> begin() override {
    CH_CHECK(become_idle());
    CH_TRY(std::string transaction,
           persistently([this] { return lock(); }, [this] { return connection_->is_lost(); }));
    state_ = Locked{std::move(transaction)};
    StudyUpdates updates{.stale = std::exchange(stale_, {})};
    for (auto& [number, trial] : std::exchange(unread_, {}))
      updates.trials.push_back(std::move(trial));
    return updates;
  }

  Status commit(StudyChanges changes) override {
    assert(in<Locked>() && "commit() comes after begin()");
    std::vector<TrialReport> reports = heartbeat_.take_reports();
    Status status = check_values(changes);
    if (status) status = cache_.check_numbers(changes.added);
    if (!status || (changes.empty() && reports.empty())) {
      (void)execute(*connection_, {"ROLLBACK"});
      state_ = Idle{};
      return status;
    }
    cache_.reserve_numbers(changes.added.size());
    state_ = Writing{{std::move(changes), std::move(reports)},
                     std::move(std::get<Locked>(state_).transaction)};
    writer_.start([this] {
      if (Status stored = store(); !stored)
        state_ = Failed{std::move(std::get<Unstored>(state_)), std::move(stored).error()};
    });
    return {};
  }

  Status report(std::int64_t number, std::int64_t step, double value) override {
    heartbeat_.report({number, step, value});
    return {};
  }

  Status flush() override {
    CH_CHECK(become_idle());
    std::vector<TrialReport> reports = heartbeat_.take_reports();
    if (!reports.empty()) {
      state_ = Unstored{{{}, std::move(reports)}, ""};
      return store();
    }
    // A file that was deleted since the last transaction is noticed by the next one.
    const Result<SqlTransaction> last = SqlTransaction::begin(*connection_);
    return last || connection_->is_lost() ? Status() : last.error();
  }

 private:
  /// What became of a transaction, as far as the server knows.
  enum class Fate : std::uint8_t { Aborted, Committed, InProgress };

  template <class State>
  bool in() const {
    return std::holds_alternative<State>(state_);
  }

  /// Waits for what commit() left to the thread. An error is returned once; the next call tries
  /// again.
  Status become_idle() {
    writer_.wait();
    if (auto* const failed = std::get_if<Failed>(&state_)) {
      Error error = std::move(failed->error);
      state_ = Unstored(std::move(failed->unstored));
      return error;
    }
    if (in<Unstored>()) CH_CHECK(store());
    assert(in<Idle>() && "begin() and commit() come in turns, flush() not between them");
    return {};
  }

  /// Begins a transaction that locks the study and reads what is new in it; returns its id.
  Result<std::string> lock() {
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
    if (Status status = read_updates(); !status) return failed(std::move(status).error());
    return text_of(rows.value().at(0).at(1));
  }

  /// Reads what others changed since the last call; every `heartbeat` seconds also which trials'
  /// workers have timed out.
  Status read_updates() {
    const bool loaded = cache_.is_loaded();
    // The first call loads the whole study; only the second locks the rows of unfinished trials.
    for (int round = loaded ? 1 : 0; round < 2; ++round) {
      CH_TRY(std::vector<Trial> updates, cache_.read_updates(*connection_));
      for (Trial& trial : updates) unread_[trial.number] = std::move(trial);
    }
    if (options_.heartbeat <= 0 || (loaded && Clock::now() < next_check_)) return {};
    CH_TRY(stale_, cache_.stale(*connection_, options_.timeout()));
    next_check_ = Clock::now() + clock_seconds(options_.heartbeat);
    return {};
  }

  /// From Writing or Unstored to Idle, or to Unstored with the error.
  Status store() {
    Fate fate = Fate::Aborted;
    return persistently([&] { return try_to_store(fate); },
                        [&] { return connection_->is_lost() || fate == Fate::InProgress; });
  }

  Status try_to_store(Fate& fate) {
    fate = Fate::Aborted;
    if (auto* const unstored = std::get_if<Unstored>(&state_)) {
      CH_TRY(fate, fate_of(*unstored));
      if (fate == Fate::InProgress)
        return Error{.what = "the server has not noticed yet that it was cut off"};
      if (fate == Fate::Committed) return finish(unstored->pending.changes);
      CH_TRY(std::string transaction, lock());
      state_ = Writing{std::move(unstored->pending), std::move(transaction)};
    }
    auto& writing = std::get<Writing>(state_);
    for (const std::int64_t number : cache_.drop_finished(writing.pending.changes))
      log_warning(cat("Trial ", number, " was given up as lost meanwhile; its result is dropped"));
    Status status = cache_.write(*connection_, writing.pending.changes, writing.pending.reports);
    if (status) return finish(writing.pending.changes);
    const bool lost = connection_->is_lost();
    if (!lost) (void)execute(*connection_, {"ROLLBACK"});
    state_ = Unstored{std::move(writing.pending), lost ? std::move(writing.transaction) : ""};
    return status;
  }

  Status finish(const StudyChanges& stored) {
    cache_.apply(stored);
    heartbeat_.set_running(cache_.own_running());
    state_ = Idle{};
    return {};
  }

  /// The connection may have been lost when the server had committed but not said so.
  Result<Fate> fate_of(const Unstored& unstored) {
    const std::string_view outcome = connection_->dialect().outcome;
    if (unstored.transaction.empty() || outcome.empty()) return Fate::Aborted;
    CH_TRY(const SqlRows rows, connection_->query({outcome, {unstored.transaction}}));
    const std::string state = rows.empty() ? "" : text_of(rows[0].at(0));
    if (state == "in progress") return Fate::InProgress;
    if (state != "committed") return Fate::Aborted;
    // A server that crashed may have given the id to another transaction since.
    CH_TRY(const bool stored, cache_.is_stored(*connection_, unstored.pending.changes));
    return stored ? Fate::Committed : Fate::Aborted;
  }

  /// Calls `attempt` until it succeeds, but for no longer than the options say and only while
  /// `may_pass` says of its error that it may go away.
  template <class Attempt, class MayPass>
  std::invoke_result_t<Attempt> persistently(Attempt attempt, MayPass may_pass) {
    const Clock::time_point last = Clock::now() + clock_seconds(options_.patience);
    for (int failures = 0;; ++failures) {
      auto result = attempt();
      if (result && failures > 0) log_info(cat("Connected to '", connection_->shown(), "' again"));
      if (result || !may_pass()) return result;
      if (Clock::now() > last)
        return std::move(result).error().note(
            cat("tried again for ", options_.patience, " s; nothing is stored since then"));
      // The others were cut off as well: staleness is checked after their heartbeats could come.
      next_check_ = Clock::now() + clock_seconds(options_.timeout());
      if (failures == 0)
        log_warning(cat("The connection to '", connection_->shown(),
                        "' is lost; what is finished stays in memory meanwhile"));
      std::this_thread::sleep_for(std::chrono::milliseconds(failures < 10 ? 100 : 1000));
      if (connection_->is_lost()) (void)connection_->reconnect();
    }
  }

  std::unique_ptr<SqlConnection> connection_;
  SqlStudy study_;
  SessionOptions options_;
  StudyCache cache_;
  /// While writer_ works, it alone uses this and all above.
  std::variant<Idle, Locked, Writing, Unstored, Failed> state_;
  std::map<std::int64_t, Trial> unread_;  ///< not returned by begin() yet, by number
  std::vector<std::int64_t> stale_;
  Clock::time_point next_check_;
  Heartbeat heartbeat_;
  BackgroundWriter writer_;  ///< last, so that it ends first
};

}  // namespace

Result<std::unique_ptr<StudySession>> open_sql_session(SqlConnect connect, const SqlStudy& study,
                                                       const SessionOptions& options) {
  CH_TRY(std::unique_ptr<SqlConnection> connection, connect());
  return std::unique_ptr<StudySession>(
      std::make_unique<SqlSession>(std::move(connection), std::move(connect), study, options));
}

}  // namespace chop::search
