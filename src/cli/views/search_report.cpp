#include "cli/views/search_report.hpp"

#include "cli/set_aside.hpp"
#include "report/table.hpp"
#include "search/algorithms/importance.hpp"
#include "search/algorithms/pareto.hpp"
#include "support/json.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

constexpr int kWidestParameters = 60;

std::string four_digits(double value) {
  return Cell(value, 4).text;
}

/// Counts as such, everything else with four digits behind the point.
Cell metric_cell(double value) {
  constexpr double kLarge = 1000;
  if (std::abs(value) < kLarge || value != std::floor(value) || std::abs(value) > 1e15)
    return {value, 4};
  return Cell(value, with_commas(static_cast<std::int64_t>(value)));
}

std::string value_text(const TrialParameter& parameter) {
  return to_text(to_external(parameter.distribution, parameter.value));
}

Cell value_cell(const Trial& trial, const std::string& name) {
  for (const TrialParameter& parameter : trial.parameters) {
    if (parameter.name != name) continue;
    const Tree value = to_external(parameter.distribution, parameter.value);
    if (const std::int64_t* whole = value.as_integer()) return *whole;
    if (const double* real = value.as_real()) return *real;
    if (const std::string* words = value.as_text()) return *words;
    return value_text(parameter);
  }
  return {};
}

/// Names of all metrics a trial has, those that count first.
std::vector<std::string> metric_names(const SearchProblem& problem,
                                      const std::vector<const Trial*>& best) {
  std::vector<std::string> names;
  for (const ObjectiveMetric& metric : problem.config().metrics) names.push_back(metric.name);
  for (const Trial* trial : best)
    for (const auto& [name, value] : metrics_of(*trial))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

/// One objective as an axis: its metric unscaled, where it has one of its own.
struct Axis {
  std::string label;
  std::function<double(const Trial&)> value;
};

Axis axis_of(const SearchConfig& config, std::size_t objective) {
  if (config.sum)
    return {"sum of scaled metrics", [](const Trial& trial) { return trial.values.at(0); }};
  const ObjectiveMetric& metric = config.metrics[objective];
  return {metric.name, [objective, scale = metric.scale](const Trial& trial) {
            return trial.values.at(objective) / scale;
          }};
}

LineChart front_chart(const SearchConfig& config, std::span<const Trial> trials,
                      const std::string& title, std::size_t a, std::size_t b) {
  const Axis x = axis_of(config, a);
  const Axis y = axis_of(config, b);
  Series all{.name = "trials", .mark = Mark::Dots};
  for (const Trial& trial : trials)
    if (trial.state == TrialState::Complete) {
      all.x.push_back(x.value(trial));
      all.y.push_back(y.value(trial));
    }
  Series front{.name = "Pareto front"};
  std::vector<const Trial*> best = best_of(trials, config.directions());
  std::sort(best.begin(), best.end(), [&x, &y](const Trial* one, const Trial* other) {
    return std::pair(x.value(*one), y.value(*one)) < std::pair(x.value(*other), y.value(*other));
  });
  for (const Trial* trial : best) {
    front.x.push_back(x.value(*trial));
    front.y.push_back(y.value(*trial));
  }
  return {.title = title, .x_label = x.label, .y_label = y.label, .series = {all, front}};
}

/// Every trial, and the best so far.
LineChart history_chart(const SearchConfig& config, std::span<const Trial> trials,
                        const std::string& title, std::size_t objective) {
  const Axis y = axis_of(config, objective);
  const Direction direction = config.directions()[objective];
  Series all{.name = "trials", .mark = Mark::Dots};
  Series best{.name = "best so far"};
  for (const Trial& trial : trials) {
    if (trial.state != TrialState::Complete) continue;
    const double value = y.value(trial);
    all.x.push_back(static_cast<double>(trial.number));
    all.y.push_back(value);
    const bool leads = best.y.empty() || better(direction, value, best.y.back());
    best.x.push_back(static_cast<double>(trial.number));
    best.y.push_back(leads ? value : best.y.back());
  }
  return {.title = title, .x_label = "trial", .y_label = y.label, .series = {all, best}};
}

BarChart importance_chart(const SearchProblem& problem, std::span<const Trial> trials,
                          const std::string& title) {
  BarChart chart{.title = title, .x_label = "share of the variance a parameter explains"};
  for (const SpaceParameter& parameter : problem.space().parameters())
    chart.names.push_back(short_name(parameter.name));
  const SearchConfig& config = problem.config();
  for (std::size_t o = 0; o < config.directions().size(); ++o) {
    std::vector<Point> points;
    std::vector<double> values;
    for (const Trial& trial : trials) {
      SampledTrial sampled = as_sampled(trial, problem.space());
      if (trial.state != TrialState::Complete || sampled.point.empty()) continue;
      points.push_back(std::move(sampled.point));
      values.push_back(trial.values[o]);
    }
    chart.series.push_back(
        {axis_of(config, o).label, parameter_importances(problem.space(), points, values)});
  }
  return chart;
}

}  // namespace

std::string short_name(const std::string& name) {
  const std::size_t at = name.find("/config/");
  return at == std::string::npos ? name : name.substr(0, at) + name.substr(at + 7);
}

std::string space_text(const SearchProblem& problem, TableStyle style) {
  Table table{.columns = {{"Parameter", Align::Left}, {"Choices", Align::Left}}, .rows = {}};
  for (const SpaceParameter& parameter : problem.space().parameters()) {
    std::string choices = to_string(parameter.distribution);
    if (!parameter.when.empty()) choices += ", where the format has it";
    table.rows.push_back({parameter.name, choices});
  }
  for (const auto& [name, value] : problem.fixed())
    table.rows.push_back({name, cat("always ", to_text(value))});
  const std::optional<std::int64_t> size = problem.space().size();
  return cat(render(table, {.style = style}), "The space has ",
             size ? counted(*size, "point") : "more than 9,223,372,036,854,775,807 points", " (",
             counted(static_cast<std::int64_t>(problem.space().dimensions()), "parameter"), ").\n");
}

SearchProgress::SearchProgress(const SearchProblem& problem, std::int64_t n_trials)
    : config_(problem.config()),
      directions_(problem.config().directions()),
      n_trials_(n_trials),
      bar_("Trials", n_trials, stderr_screen()) {}

/// "best accuracy 0.7412", or how far the front reaches in each objective.
std::string SearchProgress::standing() const {
  if (front_.empty()) return "";
  std::string text = directions_.size() > 1 ? cat("front of ", front_.size(), ":") : "best";
  for (std::size_t o = 0; o < directions_.size(); ++o) {
    const Axis axis = axis_of(config_, o);
    double best = axis.value(front_.front());
    for (const Trial& trial : front_)
      if (better(directions_[o], axis.value(trial), best)) best = axis.value(trial);
    text += cat(o == 0 ? " " : ", ", axis.label, " ", four_digits(best));
  }
  return text;
}

void SearchProgress::on_trial(const Trial& trial) {
  ++done_;
  if (trial.state == TrialState::Fail) {
    const auto error = trial.user.find("error");
    if (error != trial.user.end())
      log_warning(cat("Trial ", trial.number, " failed: ", error->second));
  }
  if (trial.state == TrialState::Complete) {
    const Losses ours = losses_of(trial.values, directions_);
    const bool beaten = std::any_of(front_.begin(), front_.end(), [&](const Trial& other) {
      const Losses theirs = losses_of(other.values, directions_);
      return theirs == ours || dominates(theirs, ours);
    });
    if (!beaten) {
      std::erase_if(front_, [&](const Trial& other) {
        return dominates(ours, losses_of(other.values, directions_));
      });
      front_.push_back(trial);
      log_debug(cat("Trial ", trial.number, ": ", standing()));
    }
  }
  bar_.update(done_, [this] { return standing(); });
  const std::int64_t tenth = 10 * done_ / std::max<std::int64_t>(1, n_trials_);
  if (tenth <= logged_) return;
  logged_ = tenth;
  log_info(cat("Trial ", done_, "/", n_trials_, ": ", standing()));
}

Table best_table(const SearchProblem& problem, std::vector<const Trial*> best,
                 TrialColumns columns) {
  const Direction first = problem.config().directions().front();
  std::stable_sort(best.begin(), best.end(), [first](const Trial* a, const Trial* b) {
    return better(first, a->values[0], b->values[0]);
  });
  Table table{.columns = {{"number", Align::Right}}, .rows = {}};
  const bool summed = problem.config().sum;
  if (summed) table.columns.push_back({"sum", Align::Right});
  const std::vector<std::string> names = metric_names(problem, best);
  for (const std::string& name : names) table.columns.push_back({name, Align::Right});
  std::vector<std::string> shown;
  const bool together =
      columns == TrialColumns::Few && problem.space().dimensions() > kMostParameterColumns;
  if (together)
    table.columns.push_back({"parameters", Align::Left, kWidestParameters});
  else
    for (const SpaceParameter& parameter : problem.space().parameters()) {
      shown.push_back(parameter.name);
      table.columns.push_back({short_name(parameter.name), Align::Right, 0, parameter.name});
    }
  for (const Trial* trial : best) {
    std::vector<Cell> row = {trial->number};
    if (summed) row.push_back(metric_cell(trial->values[0]));
    const auto metrics = metrics_of(*trial);
    for (const std::string& name : names)
      row.push_back(metrics.contains(name) ? metric_cell(metrics.at(name)) : Cell());
    for (const std::string& name : shown) row.push_back(value_cell(*trial, name));
    std::vector<std::string> parts;
    for (const TrialParameter& parameter : trial->parameters)
      parts.push_back(cat(short_name(parameter.name), "=", value_text(parameter)));
    if (together) row.emplace_back(join(parts, ", "));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Status write_search_files(const std::filesystem::path& folder, const SearchProblem& problem,
                          std::span<const Trial> trials, const std::string& title, StudyAge age) {
  const SearchConfig& config = problem.config();
  const std::vector<Direction> directions = config.directions();
  const auto write = [&](const std::string& name, const std::string& text) -> Status {
    if (age == StudyAge::New) CH_CHECK(set_aside(folder / name));
    return write_file(folder / name, text);
  };
  CH_CHECK(write("log.json", to_json(log_tree(trials), 2) + "\n"));
  CH_CHECK(write("best.json", to_json(best_tree(best_of(trials, directions)), 2) + "\n"));
  const std::size_t count = directions.size();
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const std::string name = count == 2 ? "pareto_front.svg"
                                          : cat("pareto_front_", config.metrics[a].name, "_",
                                                config.metrics[b].name, ".svg");
      CH_CHECK(write(name, to_svg(front_chart(config, trials, cat("Trials of ", title), a, b))));
    }
  for (std::size_t o = 0; o < count; ++o)
    CH_CHECK(write(config.sum ? "history.svg" : cat("history_", config.metrics[o].name, ".svg"),
                   to_svg(history_chart(config, trials, cat("Search of ", title), o))));
  return write("importance.svg",
               to_svg(importance_chart(problem, trials, cat("Importance of parameters, ", title))));
}

}  // namespace chop::cli
