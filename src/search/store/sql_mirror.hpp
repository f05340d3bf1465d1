// What one process knows of a study in a data base: which trials there are, and what the unfinished
// ones look like. With that, news cost what is new and changes cost what changes, however many
// trials there are.
#pragma once

#include <map>
#include <unordered_map>

#include "search/store/sql_rows.hpp"
#include "search/store/store.hpp"

namespace chop::search {

/// An intermediate value on its way.
struct TrialReport {
  std::int64_t number = 0;
  std::int64_t step = 0;
  double value = 0;
};

class StudyMirror {
 public:
  StudyMirror(std::int64_t study, const SqlDialect& dialect, bool heartbeats)
      : study_(study), writer_(dialect), heartbeats_(heartbeats) {}

  /// What others did since the last time; at first everything, which is then not held yet: ask
  /// again. Within a transaction that holds the study.
  Result<std::vector<Trial>> news(SqlConnection& connection);
  bool has_read() const { return read_before_; }
  /// Numbers of trials others run that were silent for more than `seconds`.
  Result<std::vector<std::int64_t>> stale(SqlConnection& connection, double seconds) const;

  /// Keeps the next numbers for trials that are going to be added.
  void reserve(std::size_t trials) { ids_.resize(ids_.size() + trials, 0); }
  /// Stores it all and commits. Only settle() makes it known here, since a commit may be lost.
  Status write(SqlConnection& connection, const StudyChanges& changes,
               std::span<const TrialReport> reports);
  void settle(const StudyChanges& changes);
  /// Whether what write() wrote last is there: the same rows with the same states and times.
  Result<bool> is_stored(SqlConnection& connection, const StudyChanges& changes);

  /// Ids of the running trials of this process, by number.
  std::map<std::int64_t, std::int64_t> own() const;

 private:
  /// A trial that was not finished when last seen.
  struct Open {
    std::int64_t id;
    Trial known;
    bool own;
  };

  Result<std::vector<Trial>> everything(SqlConnection& connection);
  /// Ids of trials that are new or may look different now.
  Result<std::vector<std::int64_t>> suspects(SqlConnection& connection) const;
  /// Takes note of a trial as it is now; false when nothing is different.
  bool note(StoredTrial& stored);
  void remember(std::int64_t id, const Trial& trial, bool own);
  std::int64_t id_of(const Trial& trial) const;

  std::int64_t study_;
  TrialReader reader_;
  TrialWriter writer_;
  bool heartbeats_;
  bool read_before_ = false;
  std::vector<std::int64_t> ids_;  ///< of rows, by number; 0: still to be stored
  std::int64_t stored_ = 0;        ///< rows there are
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, Open> open_;                            ///< by number
  std::unordered_map<std::int64_t, std::int64_t> open_numbers_;  ///< by id
  std::vector<std::int64_t> written_;  ///< ids of the trials write() added
};

}  // namespace chop::search
