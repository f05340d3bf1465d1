// Trials and studies as rows: reading them, and the commands that write them.
#pragma once

#include "search/store/sql/connection.hpp"
#include "search/store/trial.hpp"

namespace chop::search {

/// A trial and the id of its row.
struct StoredTrial {
  std::int64_t id = 0;
  Trial trial;
};

/// Reads trials. Distributions repeat from trial to trial, so it remembers those it has seen.
class TrialReader {
 public:
  /// All of a study, in the order they were added, which gives their numbers.
  Result<std::vector<StoredTrial>> read_study(SqlConnection& connection, std::int64_t study);
  /// Those of `ids` that there are, by id; their numbers as stored.
  Result<std::vector<StoredTrial>> read_trials(SqlConnection& connection,
                                               std::span<const std::int64_t> ids);

 private:
  Result<std::vector<StoredTrial>> read(SqlConnection& connection, std::string_view which,
                                        const SqlValue& argument);
  Status read_parameters(SqlConnection& connection, const SqlValue& ids,
                         std::vector<StoredTrial>& trials);
  Result<const Distribution*> distribution(const std::string& json);

  std::map<std::string, Distribution> distributions_;
};

/// Writes trials as commands to be executed later.
class TrialWriter {
 public:
  explicit TrialWriter(const SqlDialect& dialect);

  /// A row of `trials` that gives back its id; `number` as it is to be stored.
  SqlCommand insert(std::int64_t study, std::int64_t number, const Trial& trial) const;
  /// State and times.
  void update(std::int64_t id, const Trial& trial, std::vector<SqlCommand>& commands) const;
  /// Everything else that `trial` has and `known` has not, or has otherwise.
  void set_content(std::int64_t id, const Trial& trial, const Trial& known,
                   std::vector<SqlCommand>& commands);
  void set_report(std::int64_t id, std::int64_t step, double value,
                  std::vector<SqlCommand>& commands) const;
  void set_heartbeat(std::int64_t id, std::vector<SqlCommand>& commands) const;

 private:
  const std::string& json_of(const TrialParameter& parameter);

  struct Written {
    Distribution distribution;
    std::string json;
  };
  std::map<std::string, Written, std::less<>> last_json_;  ///< by name of the parameter
  std::string heartbeat_;
};

Result<StudyInfo> read_study_info(SqlConnection& connection, std::int64_t id,
                                  const std::string& name);

}  // namespace chop::search
