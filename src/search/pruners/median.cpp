// Ends a trial whose best report so far is worse than the median of what finished trials reported
// at the same step. As Optuna's MedianPruner.
#include "search/algorithms/pruner_def.hpp"

namespace chop::search::pruners::median {
namespace {

struct Settings {
  std::int64_t startup_trials = 5;
  std::int64_t warmup_steps = 0;
  std::int64_t interval_steps = 1;
  std::size_t least_trials = 1;
};

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class MedianPruner : public Pruner {
 public:
  MedianPruner(Direction direction, const Settings& settings)
      : direction_(direction), settings_(settings) {}

  bool should_prune(std::span<const SampledTrial> trials,
                    const SampledTrial& trial) const override {
    if (trial.reports.empty() || !is_due(trial.reports)) return false;
    const std::int64_t step = trial.reports.rbegin()->first;
    std::int64_t complete = 0;
    std::vector<double> others;
    for (const SampledTrial& other : trials) {
      if (other.state != TrialState::Complete) continue;
      ++complete;
      const auto report = other.reports.find(step);
      if (report != other.reports.end() && !std::isnan(report->second))
        others.push_back(report->second);
    }
    if (complete == 0 || complete < settings_.startup_trials) return false;
    const double best = best_report(trial);
    if (std::isnan(best)) return true;
    if (others.empty() || others.size() < settings_.least_trials) return false;
    return better(direction_, median_of(std::move(others)), best);
  }

 private:
  /// Past the warm-up, and the first report since the last step at which trials are checked.
  bool is_due(const std::map<std::int64_t, double>& reports) const {
    const std::int64_t step = reports.rbegin()->first;
    const std::int64_t since = step - settings_.warmup_steps;
    if (since < 0) return false;
    if (reports.size() == 1) return true;
    return std::next(reports.rbegin())->first < step - since % settings_.interval_steps;
  }

  double best_report(const SampledTrial& trial) const {
    double best = std::nan("");
    for (const auto& [step, value] : trial.reports)
      if (better(direction_, value, best)) best = value;
    return best;
  }

  Direction direction_;
  Settings settings_;
};

Result<std::unique_ptr<Pruner>> make(Direction direction, const Args& args) {
  const Settings settings{.startup_trials = args.integer("n_startup_trials"),
                          .warmup_steps = args.integer("n_warmup_steps"),
                          .interval_steps = args.integer("interval_steps"),
                          .least_trials = static_cast<std::size_t>(args.integer("n_min_trials"))};
  return std::unique_ptr<Pruner>(std::make_unique<MedianPruner>(direction, settings));
}

}  // namespace

PrunerDef define() {
  return {.name = "median",
          .doc = "ends trials worse than the median of finished ones at the same step",
          .args = {{.name = "n_startup_trials",
                    .initial = 5,
                    .doc = "trials that must be complete before any is ended",
                    .bounds = {.least = 0}},
                   {.name = "n_warmup_steps",
                    .initial = 0,
                    .doc = "steps every trial may take",
                    .bounds = {.least = 0}},
                   {.name = "interval_steps",
                    .initial = 1,
                    .doc = "steps from one check to the next",
                    .bounds = {.least = 1}},
                   {.name = "n_min_trials",
                    .initial = 1,
                    .doc = "complete trials that must have reported at the step",
                    .bounds = {.least = 1}}},
          .make = make};
}

}  // namespace chop::search::pruners::median
