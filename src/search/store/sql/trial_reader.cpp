// Trials from rows: one query per table for all of them, merged by trial id (every result is
// ordered by it), instead of several queries per trial.
#include "search/store/sql/trial_rows.hpp"

namespace chop::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double value_from(const SqlValue& value, const std::string& type) {
  if (type == "INF_POS") return kInfinity;
  if (type == "INF_NEG") return -kInfinity;
  return number_of(value);  // NaN is stored as no value
}

LocalTime time_from(const SqlValue& value) {
  return local_time_from(text_of(value)).value_or(0);
}

/// The trial of `id`; rows come in the order of ids, so the search goes on from `at`.
Trial* trial_of(std::vector<StoredTrial>& trials, std::size_t& at, std::int64_t id) {
  while (at < trials.size() && trials[at].id < id) ++at;
  return at < trials.size() && trials[at].id == id ? &trials[at].trial : nullptr;
}

/// Calls `use(trial, row)` for each row of a table that belongs to one of the trials.
template <class Use>
Status for_rows(SqlConnection& connection, std::string_view columns, std::string_view table,
                std::string_view order, const SqlValue& ids, std::vector<StoredTrial>& trials,
                Use use) {
  const std::string text = cat("SELECT trial_id, ", columns, " FROM ", table, " WHERE trial_id",
                               connection.dialect().in_list, " ORDER BY trial_id, ", order);
  CH_TRY(const SqlRows rows, connection.query({text, {ids}}));
  std::size_t at = 0;
  for (const SqlRow& row : rows)
    if (Trial* const trial = trial_of(trials, at, integer_of(row[0]))) CH_CHECK(use(*trial, row));
  return {};
}

Status read_attributes(SqlConnection& connection, std::string_view table, const SqlValue& ids,
                       AttributeMap Trial::*map, std::vector<StoredTrial>& trials) {
  return for_rows(connection, "\"key\", value_json", table, "\"key\"", ids, trials,
                  [map](Trial& trial, const SqlRow& row) -> Status {
                    (trial.*map)[text_of(row[1])] = text_of(row[2]);
                    return {};
                  });
}

Status read_values(SqlConnection& connection, const SqlValue& ids,
                   std::vector<StoredTrial>& trials) {
  CH_CHECK(for_rows(connection, "objective, value, value_type", "trial_values", "objective", ids,
                    trials, [](Trial& trial, const SqlRow& row) -> Status {
                      trial.values.push_back(value_from(row[2], text_of(row[3])));
                      return {};
                    }));
  return for_rows(connection, "step, intermediate_value, intermediate_value_type",
                  "trial_intermediate_values", "step", ids, trials,
                  [](Trial& trial, const SqlRow& row) -> Status {
                    trial.reports[integer_of(row[1])] = value_from(row[2], text_of(row[3]));
                    return {};
                  });
}

}  // namespace

Result<const Distribution*> TrialReader::distribution(const std::string& json) {
  const auto found = distributions_.find(json);
  if (found != distributions_.end()) return &found->second;
  CH_TRY(Distribution read, distribution_from_json(json));
  return &distributions_.emplace(json, std::move(read)).first->second;
}

Status TrialReader::read_parameters(SqlConnection& connection, const SqlValue& ids,
                                    std::vector<StoredTrial>& trials) {
  return for_rows(connection, "param_name, param_value, distribution_json", "trial_params",
                  "param_id", ids, trials, [this](Trial& trial, const SqlRow& row) -> Status {
                    const auto wrong = [&](Error error) {
                      return std::move(error).note(
                          cat("parameter '", text_of(row[1]), "' of trial ", trial.number));
                    };
                    Result<const Distribution*> found = distribution(text_of(row[3]));
                    if (!found) return wrong(std::move(found).error());
                    const double value = number_of(row[2]);
                    if (!is_nameable(*found.value(), value))
                      return wrong({.what = cat("the stored value ", value, " is none of ",
                                                to_string(*found.value()))});
                    trial.parameters.push_back({text_of(row[1]), *found.value(), value});
                    return {};
                  });
}

Result<std::vector<StoredTrial>> TrialReader::read(SqlConnection& connection,
                                                   std::string_view which,
                                                   const SqlValue& argument) {
  const std::string heads =
      cat("SELECT trial_id, number, state, datetime_start, datetime_complete FROM trials WHERE ",
          which, " ORDER BY trial_id");
  CH_TRY(const SqlRows rows, connection.query({heads, {argument}}));
  std::vector<StoredTrial> trials(rows.size());
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SqlRow& row = rows[i];
    trials[i].id = found.emplace_back(integer_of(row[0]));
    trials[i].trial = {.number = integer_of(row[1]),
                       .state = state_from_name(text_of(row[2])).value_or(TrialState::Fail),
                       .started = time_from(row[3]),
                       .completed = time_from(row[4])};
  }
  if (trials.empty()) return trials;
  // By their ids, not by a join: a server without statistics may join everything with everything.
  const SqlValue ids = list_argument(connection.dialect(), found);
  CH_CHECK(read_parameters(connection, ids, trials));
  CH_CHECK(read_values(connection, ids, trials));
  CH_CHECK(read_attributes(connection, "trial_user_attributes", ids, &Trial::user, trials));
  CH_CHECK(read_attributes(connection, "trial_system_attributes", ids, &Trial::system, trials));
  return trials;
}

Result<std::vector<StoredTrial>> TrialReader::read_study(SqlConnection& connection,
                                                         std::int64_t study) {
  CH_TRY(std::vector<StoredTrial> trials, read(connection, "study_id = $1", study));
  for (std::size_t i = 0; i < trials.size(); ++i)
    trials[i].trial.number = static_cast<std::int64_t>(i);
  return trials;
}

Result<std::vector<StoredTrial>> TrialReader::read_trials(SqlConnection& connection,
                                                          std::span<const std::int64_t> ids) {
  const SqlDialect& dialect = connection.dialect();
  return read(connection, cat("trial_id", dialect.in_list), list_argument(dialect, ids));
}

Result<StudyInfo> read_study_info(SqlConnection& connection, std::int64_t id,
                                  const std::string& name) {
  StudyInfo info{.name = name};
  CH_TRY(const SqlRows directions,
         connection.query({"SELECT direction FROM study_directions WHERE study_id = $1 "
                           "ORDER BY objective",
                           {id}}));
  for (const SqlRow& row : directions)  // Optuna's NOT_SET counts as the default
    info.directions.push_back(direction_from_name(text_of(row[0])).value_or(Direction::Minimise));
  CH_TRY(const SqlRows user,
         connection.query(
             {"SELECT \"key\", value_json FROM study_user_attributes WHERE study_id = $1", {id}}));
  for (const SqlRow& row : user) info.user[text_of(row[0])] = text_of(row[1]);
  CH_TRY(
      const SqlRows system,
      connection.query(
          {"SELECT \"key\", value_json FROM study_system_attributes WHERE study_id = $1", {id}}));
  for (const SqlRow& row : system) info.system[text_of(row[0])] = text_of(row[1]);
  return info;
}

}  // namespace chop::search
