// Where studies are kept. Each kind of store is a file of src/search/stores: in memory, a SQLite
// file, a PostgreSQL server; the tables are Optuna's.
#pragma once

#include "search/store/trial.hpp"

namespace chop::search {

/// What other processes did to a study since this one last read it.
struct StudyUpdates {
  std::vector<Trial> trials = {};  ///< new, or changed since; whole, in order of their numbers
  /// Numbers of running trials whose worker has sent no heartbeat for too long.
  std::vector<std::int64_t> stale = {};
};

/// What this process does to it, in one transaction: all of it is stored or nothing. What a trial
/// has (parameters, values, reports, attributes) may be set anew but not taken away. Values of a
/// complete trial are numbers or infinite, never NaN: Optuna could not read that, such trials fail.
struct StudyChanges {
  std::vector<Trial> added = {};    ///< with the next free numbers, in order
  std::vector<Trial> changed = {};  ///< as they are now; known by their numbers

  bool empty() const { return added.empty() && changed.empty(); }
};

/// The error of a complete trial with a value that is no number.
Status check_values(const StudyChanges& changes);

struct SessionOptions {
  /// Seconds between heartbeats of running trials; 0: none are sent, none are expected.
  double heartbeat = 10;
  /// Seconds without one after which a trial counts as stale; 0: three times `heartbeat`.
  double grace = 0;
  /// Seconds for which a lost connection is opened again before it is an error.
  double patience = 300;

  double timeout() const { return grace > 0 ? grace : 3 * heartbeat; }
};

/// One process's part in one study. Calls come from one thread at a time, begin() and commit()
/// in turns. Trials that this process added or took over (changed to Running) send heartbeats
/// until it changes them to another state.
///
/// A call that fails leaves what was to be stored in memory; the next call tries again first.
/// Numbers are those of the store, unless a connection is lost between begin() and the end of
/// commit() and others add trials meanwhile: then this session keeps the numbers it gave its own.
class StudySession {
 public:
  virtual ~StudySession() = default;

  /// Locks the study for this process until commit(), and returns what others changed since the
  /// last call; the first one returns the whole study. Trials that this process changed itself are
  /// not among them, unless others changed them afterwards.
  virtual Result<StudyUpdates> begin() = 0;
  /// Stores the changes and unlocks the study. May return before they are stored: the next call
  /// waits for that, and returns the error if it failed.
  virtual Status commit(StudyChanges changes) = 0;
  /// Stores a running trial's intermediate value, with the next commit() at the latest.
  virtual Status report(std::int64_t number, std::int64_t step, double value) = 0;
  /// Waits until everything is stored.
  virtual Status flush() = 0;
};

/// Calls come from one thread at a time.
class StudyStore {
 public:
  virtual ~StudyStore() = default;

  virtual Result<std::vector<StudySummary>> list() = 0;
  /// Nothing: there is none of that name.
  virtual Result<std::optional<StudyInfo>> find(const std::string& name) = 0;
  /// An error if there is one of that name (another process may have been faster: find() again).
  virtual Status create(const StudyInfo& info) = 0;
  virtual Status remove(const std::string& name) = 0;
  virtual Result<Study> read(const std::string& name) = 0;
  /// Appends trials as they are, but for their numbers, which become the next free ones. An error
  /// if a complete one has a value that is NaN.
  virtual Status append(const std::string& name, const std::vector<Trial>& trials) = 0;
  virtual Status set_user_attribute(const std::string& name, const std::string& key,
                                    const std::string& json) = 0;
  /// Takes part in a study that exists. The session may outlive the store.
  virtual Result<std::unique_ptr<StudySession>> join(const std::string& name,
                                                     const SessionOptions& options) = 0;
};

/// Whether a SQLite file, or the tables of a database, are made when there are none.
enum class Create : std::uint8_t { No, Yes };

/// A kind of store. The file src/search/stores/<name>.cpp defines `StoreDef define()` in
/// namespace chop::search::stores::<name>; that is its registration.
struct StoreDef {
  std::string_view name;
  std::string_view doc;  ///< one clause, lower-case, no final period
  std::string_view example;
  bool (*accepts)(std::string_view url) = nullptr;
  Result<std::unique_ptr<StudyStore>> (*open)(const std::string& url, Create create) = nullptr;
};

std::span<const StoreDef> all_stores();
/// "memory", "sqlite:///study.db", a path of a SQLite file, "postgresql://user@host/db"
/// (SQLAlchemy's spellings too: sqlite:////abs, postgresql+psycopg2://). A file that is something
/// else, a folder that is not there and a server that does not answer are errors.
Result<std::unique_ptr<StudyStore>> open_store(const std::string& url, Create create = Create::Yes);
/// The address without its password, for messages.
std::string shown_url(const std::string& url);
/// "host=... dbname=...": words and values, as libpq takes them too.
bool is_keyword_address(std::string_view url);

}  // namespace chop::search
