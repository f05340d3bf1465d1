#include "cli/views/study_view.hpp"
#include "cli/views/search_report.hpp"

#include <cstdio>
#include <set>

#include "cli/views/study_json.hpp"
#include "search/algorithms/pareto.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

std::string_view word_for(TrialState state) {
  switch (state) {
    case TrialState::Complete:
      return "complete";
    case TrialState::Pruned:
      return "pruned";
    case TrialState::Fail:
      return "failed";
    case TrialState::Waiting:
      return "waiting";
    default:
      return "running";
  }
}

/// What the objectives are called, if the study says so.
std::vector<std::string> objective_names(const StudyInfo& info) {
  const auto found = info.system.find("study:metric_names");
  Tree listed;
  if (found != info.system.end())
    if (Result<Tree> read = parse_json(found->second, "metric names"); read)
      listed = std::move(read).value();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < info.directions.size(); ++i) {
    const bool named = listed.is_list() && i < listed.size() && listed[i].is_text();
    names.push_back(named                         ? *listed[i].as_text()
                    : info.directions.size() == 1 ? "value"
                                                  : cat("values_", i));
  }
  return names;
}

std::string time_text(LocalTime time) {
  return time == 0 ? "" : to_text(time).substr(0, 19);
}

/// Six digits are enough to look at.
Cell short_cell(Cell cell) {
  if (const double* real = std::get_if<double>(&cell.value)) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", *real);
    cell.text = text.data();
  }
  return cell;
}

Cell cell_of(const Tree& value) {
  if (value.is_null()) return {};
  if (const bool* flag = value.as_flag()) return *flag;
  if (const std::int64_t* whole = value.as_integer()) return *whole;
  if (const double* real = value.as_real()) return *real;
  if (const std::string* words = value.as_text()) return *words;
  return to_text(value);
}

Cell cell_of_json(const std::string& text) {
  const Result<Tree> read = parse_json(text, "attribute");
  if (!read || read.value().is_list() || read.value().is_table()) return text;
  return cell_of(read.value());
}

Cell parameter_cell(const Trial& trial, const std::string& name) {
  for (const TrialParameter& parameter : trial.parameters)
    if (parameter.name == name)
      return cell_of(to_external(parameter.distribution, parameter.value));
  return {};
}

/// As pandas writes a span of time: "0 days 00:00:01.250000".
Cell span_cell(const Trial& trial) {
  if (trial.started == 0 || trial.completed == 0) return {};
  const std::int64_t micros = std::max<std::int64_t>(0, trial.completed - trial.started);
  const std::int64_t seconds = micros / 1'000'000;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%lld days %02d:%02d:%02d.%06d",
                static_cast<long long>(seconds / 86400), static_cast<int>(seconds / 3600 % 24),
                static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60),
                static_cast<int>(micros % 1'000'000));
  return text.data();
}

/// Names of all parameters, in the order in which trials have them.
std::vector<std::string> parameter_names(std::span<const Trial* const> trials) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Trial* trial : trials)
    for (const TrialParameter& parameter : trial->parameters)
      if (seen.insert(parameter.name).second) names.push_back(parameter.name);
  return names;
}

std::vector<Cell> value_cells(const Trial& trial, std::size_t count) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < count; ++i)
    cells.push_back(i < trial.values.size() ? Cell(trial.values[i]) : Cell());
  return cells;
}

}  // namespace

std::vector<const Trial*> best_of(const Study& study) {
  std::vector<const Trial*> complete;
  for (const Trial& trial : study.trials)
    if (trial.state == TrialState::Complete &&
        trial.values.size() == study.info.directions.size() && !trial.values.empty())
      complete.push_back(&trial);
  const std::vector<Direction>& directions = study.info.directions;
  if (directions.size() == 1) {
    std::stable_sort(complete.begin(), complete.end(), [&](const Trial* a, const Trial* b) {
      return better(directions[0], a->values[0], b->values[0]);
    });
    return complete;
  }
  std::vector<Losses> rows;
  for (const Trial* trial : complete) rows.push_back(losses_of(trial->values, directions));
  std::vector<const Trial*> front;
  for (const std::size_t i : pareto_front(rows)) front.push_back(complete[i]);
  return front;
}

std::string counts_text(const std::map<TrialState, std::int64_t>& by_state) {
  std::vector<std::string> parts;
  for (const TrialState state : {TrialState::Complete, TrialState::Pruned, TrialState::Fail,
                                 TrialState::Running, TrialState::Waiting})
    if (const auto found = by_state.find(state); found != by_state.end())
      parts.push_back(cat(with_commas(found->second), " ", word_for(state)));
  return join(parts, ", ");
}

Table studies_table(const std::vector<StudySummary>& studies) {
  Table table{.columns = {{"Study", Align::Left, 0, "study"},
                          {"Directions", Align::Left, 0, "directions"},
                          {"Trials", Align::Right, 0, "trials"},
                          {"States", Align::Left, 0, "states"},
                          {"First", Align::Left, 0, "started"},
                          {"Last", Align::Left, 0, "completed"}}};
  for (const StudySummary& study : studies) {
    std::vector<std::string> directions;
    for (const Direction direction : study.info.directions)
      directions.emplace_back(word_for(direction));
    table.rows.push_back({study.info.name, join(directions, ", "), study.trials,
                          counts_text(study.by_state), time_text(study.started),
                          time_text(study.completed)});
  }
  return table;
}

std::string study_text(const Study& study, const std::vector<const Trial*>& best) {
  std::map<TrialState, std::int64_t> by_state;
  LocalTime first = 0;
  LocalTime last = 0;
  for (const Trial& trial : study.trials) {
    ++by_state[trial.state];
    if (trial.started != 0 && (first == 0 || trial.started < first)) first = trial.started;
    last = std::max(last, trial.completed);
  }
  const std::vector<std::string> names = objective_names(study.info);
  std::vector<std::string> goals;
  for (std::size_t i = 0; i < names.size(); ++i)
    goals.push_back(cat(word_for(study.info.directions[i]), " ", names[i]));
  std::string text = cat("Study '", study.info.name, "': ", join(goals, ", "), "\n",
                         counted(static_cast<std::int64_t>(study.trials.size()), "trial"));
  if (!by_state.empty()) text += cat(": ", counts_text(by_state));
  if (first != 0) text += cat("; begun ", time_text(first));
  if (last != 0) text += cat(", the last ended ", time_text(last));
  text += "\n";
  for (const char* mark : {"network", "dataset", "runners", "training"})
    if (const auto found = study.info.user.find(mark); found != study.info.user.end())
      text += cat(mark, ": ", cell_of_json(found->second).text, "\n");
  if (best.empty()) return text + "No trial is complete\n";
  if (names.size() > 1)
    return text +
           cat(counted(static_cast<std::int64_t>(best.size()), "trial"), " on the Pareto front\n");
  return text + cat("Best is trial ", best[0]->number, " with ", names[0], " ",
                    short_cell(best[0]->values[0]).text, "\n");
}

Table best_trials_table(const Study& study, std::span<const Trial* const> trials) {
  Table table{.columns = {{"Trial", Align::Right, 0, "number"}}};
  const std::vector<std::string> objectives = objective_names(study.info);
  for (const std::string& name : objectives) table.columns.push_back({name, Align::Right});
  table.columns.push_back({"Seconds", Align::Right, 0, "duration"});
  const std::vector<std::string> names = parameter_names(trials);
  const bool wide = names.size() > kMostParameterColumns;
  if (wide) table.columns.push_back({"Parameters", Align::Left, 80, "params"});
  for (const std::string& name : names)
    if (!wide) table.columns.push_back({short_name(name), Align::Right, 0, name});
  for (const Trial* trial : trials) {
    std::vector<Cell> row = {trial->number};
    for (const Cell& cell : value_cells(*trial, objectives.size())) row.push_back(short_cell(cell));
    const std::optional<double> duration = duration_of(*trial);
    row.push_back(duration ? Cell(*duration, 3) : Cell());
    std::vector<std::string> parts;
    for (const std::string& name : names) {
      const Cell cell = short_cell(parameter_cell(*trial, name));
      if (!wide) row.push_back(cell);
      if (!cell.text.empty()) parts.push_back(cat(short_name(name), "=", cell.text));
    }
    if (wide) row.emplace_back(join(parts, " "));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table trials_table(const Study& study) {
  std::set<std::string> parameters;
  std::set<std::string> attributes;
  for (const Trial& trial : study.trials) {
    for (const TrialParameter& parameter : trial.parameters) parameters.insert(parameter.name);
    for (const auto& [name, json] : trial.user) attributes.insert(name);
  }
  const std::size_t objectives = study.info.directions.size();
  Table table{.columns = {{"number"}}};
  for (std::size_t i = 0; i < objectives; ++i)
    table.columns.push_back({objectives == 1 ? "value" : cat("values_", i)});
  for (const char* name : {"datetime_start", "datetime_complete", "duration"})
    table.columns.push_back({name});
  for (const std::string& name : parameters) table.columns.push_back({cat("params_", name)});
  for (const std::string& name : attributes) table.columns.push_back({cat("user_attrs_", name)});
  table.columns.push_back({"state"});
  for (const Trial& trial : study.trials) {
    std::vector<Cell> row = {trial.number};
    for (Cell& cell : value_cells(trial, objectives)) row.push_back(std::move(cell));
    for (const LocalTime time : {trial.started, trial.completed})
      row.push_back(time == 0 ? Cell() : Cell(to_text(time)));
    row.push_back(span_cell(trial));
    for (const std::string& name : parameters) row.push_back(parameter_cell(trial, name));
    for (const std::string& name : attributes) {
      const auto found = trial.user.find(name);
      row.push_back(found == trial.user.end() ? Cell() : cell_of_json(found->second));
    }
    row.emplace_back(name_of(trial.state));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace chop::cli
