// What one process knows of a study in a database: the row ids of all trials and the contents of
// those that are not finished. Reading what is new therefore costs what is new, and writing changes
// costs what changes, however many trials the study has.
//
//   number   0   1   2   3          ids_ = {11, 12, 15, 0}: trial 3 is still to be stored
//   row id  11  12  15   -          unfinished_ = {1: running elsewhere, 2: running here}
//
// read_updates() then asks for the rows 12, 15 and those after 15 only.
#pragma once

#include <unordered_map>

#include "search/store/sql/trial_rows.hpp"
#include "search/store/store.hpp"

namespace chop::search {

/// An intermediate value that is to be stored.
struct TrialReport {
  std::int64_t number = 0;
  std::int64_t step = 0;
  double value = 0;
};

class StudyCache {
 public:
  StudyCache(std::int64_t study, const SqlDialect& dialect, bool heartbeats)
      : study_(study), writer_(dialect), heartbeats_(heartbeats) {}

  /// What other processes did since the last call, within a transaction that locks the study. The
  /// first call loads the whole study without locking the rows of its trials: call it again.
  Result<std::vector<Trial>> read_updates(SqlConnection& connection);
  bool is_loaded() const { return loaded_; }
  /// Numbers of trials that other processes run and whose last heartbeat is older than `seconds`.
  Result<std::vector<std::int64_t>> stale(SqlConnection& connection, double seconds) const;

  /// Takes trials out of `changes` that others have finished meanwhile, because a finished trial
  /// never changes; returns their numbers.
  std::vector<std::int64_t> drop_finished(StudyChanges& changes) const;
  /// New trials are numbered on from those of the study.
  Status check_numbers(std::span<const Trial> added) const;
  /// Keeps the next numbers for trials that are going to be added.
  void reserve_numbers(std::size_t trials) { ids_.resize(ids_.size() + trials, 0); }
  /// Stores changes and reports, and commits. The cache itself changes with apply() only, because
  /// a commit may be lost.
  Status write(SqlConnection& connection, const StudyChanges& changes,
               std::span<const TrialReport> reports);
  /// The changes of the last write() are stored.
  void apply(const StudyChanges& changes);
  /// Whether the rows of the last write() are there, with the same states and times.
  Result<bool> is_stored(SqlConnection& connection, const StudyChanges& changes);

  /// Row ids of the running trials of this process, by number.
  std::map<std::int64_t, std::int64_t> own_running() const;

 private:
  /// A trial that was not finished when last read.
  struct Unfinished {
    std::int64_t id;
    Trial known;
    bool own;  ///< it runs in this process
  };

  Result<std::vector<Trial>> load(SqlConnection& connection);
  /// Row ids of trials that are new, or whose contents may have changed.
  Result<std::vector<std::int64_t>> possibly_changed(SqlConnection& connection) const;
  /// Puts a trial that was read into the cache; false when nothing of it changed.
  bool update(StoredTrial& stored);
  void remember(std::int64_t id, const Trial& trial, bool own);
  std::int64_t id_of(const Trial& trial) const;

  std::int64_t study_;
  TrialReader reader_;
  TrialWriter writer_;
  bool heartbeats_;
  bool loaded_ = false;
  std::vector<std::int64_t> ids_;                  ///< row ids by number; 0: still to be stored
  std::int64_t rows_ = 0;                          ///< trials that are stored
  std::int64_t last_id_ = 0;                       ///< the largest row id that was read or written
  std::map<std::int64_t, Unfinished> unfinished_;  ///< by number
  std::unordered_map<std::int64_t, std::int64_t> numbers_;  ///< of those, by row id
  std::vector<std::int64_t> inserted_;  ///< row ids of the trials that write() added
};

}  // namespace chop::search
