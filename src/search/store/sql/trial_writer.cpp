// The commands that write a trial.
#include "search/store/sql/trial_rows.hpp"

namespace chop::search {
namespace {

constexpr std::string_view kInsertTrial =
    "INSERT INTO trials (number, study_id, state, datetime_start, datetime_complete) "
    "VALUES ($1, $2, $3, $4, $5) RETURNING trial_id";
constexpr std::string_view kUpdateTrial =
    "UPDATE trials SET state = $1, datetime_start = $2, datetime_complete = $3 WHERE trial_id = $4";
constexpr std::string_view kParameter =
    "INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) "
    "VALUES ($1, $2, $3, $4) ON CONFLICT (trial_id, param_name) DO UPDATE SET "
    "param_value = excluded.param_value, distribution_json = excluded.distribution_json";
constexpr std::string_view kValue =
    "INSERT INTO trial_values (trial_id, objective, value, value_type) VALUES ($1, $2, $3, $4) "
    "ON CONFLICT (trial_id, objective) DO UPDATE SET value = excluded.value, "
    "value_type = excluded.value_type";
constexpr std::string_view kReport =
    "INSERT INTO trial_intermediate_values (trial_id, step, intermediate_value, "
    "intermediate_value_type) VALUES ($1, $2, $3, $4) ON CONFLICT (trial_id, step) DO UPDATE SET "
    "intermediate_value = excluded.intermediate_value, "
    "intermediate_value_type = excluded.intermediate_value_type";
constexpr std::string_view kTrialUserAttribute =
    "INSERT INTO trial_user_attributes (trial_id, \"key\", value_json) VALUES ($1, $2, $3) "
    "ON CONFLICT (trial_id, \"key\") DO UPDATE SET value_json = excluded.value_json";
constexpr std::string_view kTrialSystemAttribute =
    "INSERT INTO trial_system_attributes (trial_id, \"key\", value_json) VALUES ($1, $2, $3) "
    "ON CONFLICT (trial_id, \"key\") DO UPDATE SET value_json = excluded.value_json";

SqlValue time_value(LocalTime time) {
  return time == 0 ? SqlValue() : SqlValue(to_text(time));
}

SqlValue finite_or_null(double value) {
  return std::isfinite(value) ? SqlValue(value) : SqlValue();
}

std::string type_of(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INF_POS" : "INF_NEG";
  return "FINITE";
}

bool same_value(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void set_attributes(std::string_view text, std::int64_t id, const AttributeMap& attributes,
                    const AttributeMap& known, std::vector<SqlCommand>& commands) {
  for (const auto& [key, json] : attributes) {
    const auto found = known.find(key);
    if (found == known.end() || found->second != json) commands.push_back({text, {id, key, json}});
  }
}

/// A trial that is not complete may have values that are no numbers: then it has none.
bool has_values(const Trial& trial) {
  for (const double value : trial.values)
    if (std::isnan(value)) return false;
  return true;
}

}  // namespace

TrialWriter::TrialWriter(const SqlDialect& dialect)
    : heartbeat_(cat("INSERT INTO trial_heartbeats (trial_id, heartbeat) VALUES ($1, ", dialect.now,
                     ") ON CONFLICT (trial_id) DO UPDATE SET heartbeat = excluded.heartbeat")) {}

SqlCommand TrialWriter::insert(std::int64_t study, std::int64_t number, const Trial& trial) const {
  return {kInsertTrial,
          {number, study, std::string(name_of(trial.state)), time_value(trial.started),
           time_value(trial.completed)}};
}

void TrialWriter::update(std::int64_t id, const Trial& trial,
                         std::vector<SqlCommand>& commands) const {
  commands.push_back({kUpdateTrial,
                      {std::string(name_of(trial.state)), time_value(trial.started),
                       time_value(trial.completed), id}});
}

const std::string& TrialWriter::json_of(const TrialParameter& parameter) {
  Written& last = last_json_[parameter.name];
  if (last.json.empty() || last.distribution != parameter.distribution)
    last = {parameter.distribution, to_json_text(parameter.distribution)};
  return last.json;
}

void TrialWriter::set_content(std::int64_t id, const Trial& trial, const Trial& known,
                              std::vector<SqlCommand>& commands) {
  for (std::size_t i = 0; i < trial.parameters.size(); ++i) {
    const TrialParameter& parameter = trial.parameters[i];
    if (i < known.parameters.size() && known.parameters[i] == parameter) continue;
    commands.push_back({kParameter, {id, parameter.name, parameter.value, json_of(parameter)}});
  }
  if (has_values(trial))
    for (std::size_t i = 0; i < trial.values.size(); ++i)
      if (i >= known.values.size() || known.values[i] != trial.values[i])
        commands.push_back({kValue,
                            {id, static_cast<std::int64_t>(i), finite_or_null(trial.values[i]),
                             type_of(trial.values[i])}});
  for (const auto& [step, value] : trial.reports) {
    const auto found = known.reports.find(step);
    if (found == known.reports.end() || !same_value(found->second, value))
      set_report(id, step, value, commands);
  }
  set_attributes(kTrialUserAttribute, id, trial.user, known.user, commands);
  set_attributes(kTrialSystemAttribute, id, trial.system, known.system, commands);
}

void TrialWriter::set_report(std::int64_t id, std::int64_t step, double value,
                             std::vector<SqlCommand>& commands) const {
  commands.push_back({kReport, {id, step, finite_or_null(value), type_of(value)}});
}

void TrialWriter::set_heartbeat(std::int64_t id, std::vector<SqlCommand>& commands) const {
  commands.push_back({heartbeat_, {id}});
}

}  // namespace chop::search
