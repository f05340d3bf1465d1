// A search problem: a point of the space becomes a candidate network, runners measure it, and the
// measures become objectives (each times its scale, or their sum).
#include "search/evaluation/problem.hpp"

#include "search/space/format_keys.hpp"
#include "support/json.hpp"

namespace chop::search {

Result<std::unique_ptr<SearchProblem>> SearchProblem::make(const SearchConfig& config,
                                                           const Graph& graph, const Dataset& data,
                                                           const ProblemOptions& options) {
  std::unique_ptr<SearchProblem> problem(new SearchProblem(config, graph, data));
  problem->notes_ = config.notes;
  problem->training_ = options.training;
  problem->training_.checkpoints.clear();
  CH_CHECK(problem->read_space(options));
  CH_CHECK(problem->make_runners(options));
  CH_CHECK(problem->find_dependence(options));
  return problem;
}

Status SearchProblem::read_space(const ProblemOptions& options) {
  const ArgSource source{cat(config_.source.path, ".search_space"), config_.source.file};
  std::vector<SpaceParameter> all;
  if (config_.searches_formats) {
    const Split& samples = calibration_rows(data_);
    CH_TRY(formats_, QuantiseSpace::make(graph_, config_.space, source,
                                         {.samples = samples.rows() > 0 ? &samples : nullptr,
                                          .batch_size = options.batch_size,
                                          .threads = options.threads}));
    all = formats_->parameters();
    fixed_ = formats_->fixed();
    notes_.insert(notes_.end(), formats_->notes().begin(), formats_->notes().end());
  }
  format_parameters_ = all.size();
  if (const Tree* table = config_.space.find("train")) {
    CH_TRY(train_space_, TrainSpace::make(*table, {cat(source.path, ".train"), source.file}));
    for (const SpaceParameter& parameter : train_space_->parameters()) all.push_back(parameter);
    for (auto& one : train_space_->fixed()) fixed_.push_back(std::move(one));
  }
  if (all.empty())
    return at_line({.what = cat(source.path, ": every key has one choice: nothing is searched"),
                    .hint = "give some key a list of two choices or more"},
                   source, config_.space.line);
  space_ = Space(std::move(all));
  if (!space_.size() && !config_.sampler->continuous)
    return at_line(
        {.what = cat("search.strategy.setup.sampler: ", config_.sampler->name,
                     " goes through all points, and this space has too many to be counted"),
         .hint = "give lists of choices instead of ranges, or another sampler"},
        source, config_.space.line);
  return {};
}

Status SearchProblem::make_runners(const ProblemOptions& options) {
  const RunnerContext context{.graph = graph_,
                              .data = data_,
                              .searched = formats_ ? formats_->searched() : std::vector<NodeId>(),
                              .batch_size = options.batch_size,
                              .most_batches = options.training.most_batches,
                              .workers = config_.n_jobs,
                              .threads = std::max(1, options.threads / config_.n_jobs),
                              .reporting = config_.pruner != nullptr};
  for (const RunnerCall& call : config_.runners) {
    if (call.def->configure != nullptr) CH_CHECK(call.def->configure(call.args, training_));
    CH_TRY(std::unique_ptr<Runner> runner, call.def->make(context, call.args));
    runners_.push_back(std::move(runner));
  }
  return {};
}

/// Formats do not change which backend computes a layer, so the network without formats decides.
Status SearchProblem::find_dependence(const ProblemOptions& options) {
  const auto look_at = [this](Result<Program> program) {
    depends_on_processor_ |= program && program.value().plan().depends_on_processor();
  };
  CH_TRY(ParameterStore store, ParameterStore::from(graph_));
  look_at(Program::evaluation(graph_, options.batch_size, 1, &store));
  if (trains()) look_at(Program::training(graph_, store, training_.batch_size, 1));
  return {};
}

bool SearchProblem::trains() const {
  return std::any_of(config_.runners.begin(), config_.runners.end(),
                     [](const RunnerCall& call) { return call.def->configure != nullptr; });
}

std::string SearchProblem::training_text() const {
  return to_json(train::study_identity(training_));
}

Result<Candidate> SearchProblem::candidate(const Point& point) {
  Candidate made{.graph = graph_, .training = training_};
  const std::span<const double> values(point);
  if (formats_) CH_CHECK(formats_->apply(values.first(format_parameters_), made));
  if (train_space_) train_space_->apply(values.subspan(format_parameters_), made);
  return made;
}

std::optional<std::vector<double>> SearchProblem::objectives_of(const MetricValues& metrics) const {
  std::vector<double> found;
  double sum = 0;
  for (const ObjectiveMetric& metric : config_.metrics) {
    const auto value = metrics.find(metric.name);
    if (value == metrics.end()) return {};
    const double scaled = metric.scale * value->second;
    found.push_back(scaled);
    sum += metric.direction == config_.direction ? scaled : -scaled;
  }
  return config_.sum ? std::vector<double>{sum} : found;
}

Result<Evaluation> SearchProblem::evaluate(const Point& point, const RunHooks& hooks) {
  CH_TRY(Candidate trial, candidate(point));
  Evaluation found{.config = trial.config};
  MetricValues all;
  bool ended = false;
  RunHooks with_earlier = hooks;
  if (hooks.report)
    with_earlier.report = [&](std::int64_t step, const MetricValues& so_far) {
      MetricValues merged = so_far;
      merged.insert(all.begin(), all.end());
      ended = hooks.report(step, merged);
      return ended;
    };
  for (std::size_t i = 0; i < runners_.size() && !ended; ++i) {
    CH_TRY(const MetricValues values, runners_[i]->run(trial, with_earlier));
    for (const auto& [name, value] : values) {
      all[name] = value;
      (config_.runners[i].def->hardware ? found.hardware : found.software)[name] = value;
    }
  }
  const auto objectives = objectives_of(all);
  if (ended || !objectives) return found;
  for (const ObjectiveMetric& metric : config_.metrics) {
    if (std::isnan(all.at(metric.name))) return Error{.what = cat(metric.name, " is not a number")};
    found.scaled[metric.name] = metric.scale * all.at(metric.name);
  }
  found.objectives = *objectives;
  return found;
}

Result<Candidate> SearchProblem::rebuild(const Point& point) {
  CH_TRY(Candidate made, candidate(point));
  for (std::size_t i = 0; i < runners_.size(); ++i)
    if (config_.runners[i].def->configure != nullptr) {
      CH_TRY(const MetricValues values, runners_[i]->run(made, {}));
      static_cast<void>(values);
    }
  return made;
}

}  // namespace chop::search
