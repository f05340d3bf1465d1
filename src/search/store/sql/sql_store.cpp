// Studies as rows: list, find, create, delete, read and append. Whatever changes several rows is
// one transaction that locks the study.
#include "search/store/sql/sql_store.hpp"

#include "search/store/sql/schema.hpp"
#include "search/store/sql/session.hpp"

namespace chop::search {
namespace {

constexpr std::string_view kStudyUserAttribute =
    "INSERT INTO study_user_attributes (study_id, \"key\", value_json) VALUES ($1, $2, $3) "
    "ON CONFLICT (study_id, \"key\") DO UPDATE SET value_json = excluded.value_json";
constexpr std::string_view kStudySystemAttribute =
    "INSERT INTO study_system_attributes (study_id, \"key\", value_json) VALUES ($1, $2, $3) "
    "ON CONFLICT (study_id, \"key\") DO UPDATE SET value_json = excluded.value_json";

/// Rows of these belong to trials, rows of those to studies.
constexpr std::string_view kOfTrials[] = {
    "trial_user_attributes", "trial_system_attributes",   "trial_params",
    "trial_values",          "trial_intermediate_values", "trial_heartbeats"};
constexpr std::string_view kOfStudies[] = {
    "trials", "study_user_attributes", "study_system_attributes", "study_directions", "studies"};

class SqlStore final : public StudyStore {
 public:
  SqlStore(std::unique_ptr<SqlConnection> connection, SqlConnect connect)
      : connection_(std::move(connection)), connect_(std::move(connect)) {}

  Result<std::vector<StudySummary>> list() override {
    CH_CHECK(ready());
    CH_TRY(const SqlRows studies,
           connection_->query({"SELECT study_id, study_name FROM studies ORDER BY study_id"}));
    CH_TRY(const SqlRows counts,
           connection_->query({"SELECT study_id, state, COUNT(*), MIN(datetime_start), "
                               "MAX(datetime_complete) FROM trials GROUP BY study_id, state"}));
    std::vector<StudySummary> found;
    for (const SqlRow& study : studies) {
      const std::int64_t id = integer_of(study[0]);
      StudySummary& summary = found.emplace_back();
      CH_TRY(summary.info, read_study_info(*connection_, id, text_of(study[1])));
      for (const SqlRow& row : counts)
        if (integer_of(row[0]) == id) add_counts(row, summary);
    }
    return found;
  }

  Result<std::optional<StudyInfo>> find(const std::string& name) override {
    CH_CHECK(ready());
    CH_TRY(const std::int64_t id, id_of(name));
    if (id == 0) return std::optional<StudyInfo>();
    CH_TRY(StudyInfo info, read_study_info(*connection_, id, name));
    return std::optional(std::move(info));
  }

  Status create(const StudyInfo& info) override {
    CH_CHECK(ready());
    CH_TRY(SqlTransaction transaction, SqlTransaction::begin(*connection_));
    CH_TRY(const std::int64_t found, id_of(info.name));
    if (found != 0)
      return Error{.what = cat("there is a study '", info.name, "' in '", connection_->shown(),
                               "' already")};
    CH_TRY(const SqlRows rows,
           connection_->query(
               {"INSERT INTO studies (study_name) VALUES ($1) RETURNING study_id", {info.name}}));
    const std::int64_t id = integer_of(rows.at(0).at(0));
    std::vector<SqlCommand> commands;
    for (std::size_t i = 0; i < info.directions.size(); ++i)
      commands.push_back(
          {"INSERT INTO study_directions (direction, study_id, objective) "
           "VALUES ($1, $2, $3)",
           {std::string(name_of(info.directions[i])), id, static_cast<std::int64_t>(i)}});
    for (const auto& [key, json] : info.user)
      commands.push_back({kStudyUserAttribute, {id, key, json}});
    for (const auto& [key, json] : info.system)
      commands.push_back({kStudySystemAttribute, {id, key, json}});
    CH_CHECK(connection_->execute(commands));
    return transaction.commit();
  }

  Status remove(const std::string& name) override {
    CH_CHECK(ready());
    CH_TRY(SqlTransaction transaction, SqlTransaction::begin(*connection_));
    CH_TRY(const std::int64_t id, locked(name));
    CH_TRY(const SqlRows rows,
           connection_->query({"SELECT trial_id FROM trials WHERE study_id = $1", {id}}));
    std::vector<std::int64_t> trials;
    for (const SqlRow& row : rows) trials.push_back(integer_of(row[0]));
    const SqlDialect& dialect = connection_->dialect();
    for (const std::string_view table : kOfTrials)
      CH_CHECK(
          execute(*connection_, {cat("DELETE FROM ", table, " WHERE trial_id", dialect.in_list),
                                 {list_argument(dialect, trials)}}));
    for (const std::string_view table : kOfStudies)
      CH_CHECK(execute(*connection_, {cat("DELETE FROM ", table, " WHERE study_id = $1"), {id}}));
    return transaction.commit();
  }

  Result<Study> read(const std::string& name) override {
    CH_CHECK(ready());
    CH_TRY(const std::int64_t id, existing(name));
    Study study;
    CH_TRY(study.info, read_study_info(*connection_, id, name));
    TrialReader reader;
    CH_TRY(std::vector<StoredTrial> trials, reader.read_study(*connection_, id));
    for (StoredTrial& stored : trials) study.trials.push_back(std::move(stored.trial));
    return study;
  }

  Status append(const std::string& name, const std::vector<Trial>& trials) override {
    CH_CHECK(ready());
    CH_CHECK(check_values({.added = trials}));
    CH_TRY(SqlTransaction transaction, SqlTransaction::begin(*connection_));
    CH_TRY(const std::int64_t study, locked(name));
    CH_TRY(const SqlRows count,
           connection_->query({"SELECT COUNT(*) FROM trials WHERE study_id = $1", {study}}));
    std::int64_t number = integer_of(count.at(0).at(0));
    TrialWriter writer(connection_->dialect());
    std::vector<SqlCommand> commands;
    for (const Trial& trial : trials) {
      CH_TRY(const SqlRows rows, connection_->query(writer.insert(study, number++, trial)));
      writer.set_content(integer_of(rows.at(0).at(0)), trial, {}, commands);
      if (commands.size() < 1000) continue;
      CH_CHECK(connection_->execute(commands));
      commands.clear();
    }
    CH_CHECK(connection_->execute(commands));
    return transaction.commit();
  }

  Status set_user_attribute(const std::string& name, const std::string& key,
                            const std::string& json) override {
    CH_CHECK(ready());
    CH_TRY(const std::int64_t id, existing(name));
    return execute(*connection_, {kStudyUserAttribute, {id, key, json}});
  }

  Result<std::unique_ptr<StudySession>> join(const std::string& name,
                                             const SessionOptions& options) override {
    CH_CHECK(ready());
    CH_TRY(const std::int64_t id, existing(name));
    return open_sql_session(connect_, {id, name}, options);
  }

 private:
  /// Hours may lie between two calls, and a server restart.
  Status ready() {
    Status status = execute(*connection_, {"SELECT 1"});
    return !status && connection_->is_lost() ? connection_->reconnect() : status;
  }

  static void add_counts(const SqlRow& row, StudySummary& summary) {
    const std::int64_t count = integer_of(row[2]);
    summary.trials += count;
    summary.by_state[state_from_name(text_of(row[1])).value_or(TrialState::Fail)] += count;
    const LocalTime started = local_time_from(text_of(row[3])).value_or(0);
    if (started != 0 && (summary.started == 0 || started < summary.started))
      summary.started = started;
    summary.completed = std::max(summary.completed, local_time_from(text_of(row[4])).value_or(0));
  }

  /// 0: there is none.
  Result<std::int64_t> id_of(const std::string& name) {
    CH_TRY(const SqlRows rows,
           connection_->query({"SELECT study_id FROM studies WHERE study_name = $1", {name}}));
    return rows.empty() ? std::int64_t{0} : integer_of(rows[0].at(0));
  }

  Result<std::int64_t> existing(const std::string& name) {
    CH_TRY(const std::int64_t id, id_of(name));
    if (id != 0) return id;
    return Error{.what = cat("there is no study '", name, "' in '", connection_->shown(), "'"),
                 .hint = "`ch study list` names those there are"};
  }

  /// As existing(), and nobody else changes it until the transaction ends.
  Result<std::int64_t> locked(const std::string& name) {
    CH_TRY(const std::int64_t id, existing(name));
    CH_CHECK(execute(*connection_, {connection_->dialect().lock_study, {id}}));
    return id;
  }

  std::unique_ptr<SqlConnection> connection_;
  SqlConnect connect_;
};

}  // namespace

Result<std::unique_ptr<StudyStore>> open_sql_store(SqlConnect connect, Create create) {
  CH_TRY(std::unique_ptr<SqlConnection> connection, connect());
  CH_CHECK(prepare_schema(*connection, create));
  return std::unique_ptr<StudyStore>(
      std::make_unique<SqlStore>(std::move(connection), std::move(connect)));
}

}  // namespace chop::search
