// ASHA, asynchronous successive halving (Li et al. 2020): at certain steps, the rungs, only the
// best 1 / reduction_factor of the trials that reached the rung may continue. Rung k is at step
//   min_resource · reduction_factor^(min_early_stopping_rate + k)
// so with min_resource = 1 and reduction_factor = 4 rungs are at epochs 1, 4, 16 ...
//
// As Optuna's SuccessiveHalvingPruner, but it stores nothing: the value of a trial at a rung is
// looked up in its reports.
#include "search/algorithms/pruner_def.hpp"

namespace chop::search::pruners::successive_halving {
namespace {

using Reports = std::map<std::int64_t, double>;

struct Settings {
  std::int64_t min_resource = 0;  ///< 0: from the complete trials
  std::int64_t reduction_factor = 4;
  std::int64_t early_stopping_rate = 0;
  std::size_t bootstrap_count = 0;
};

class SuccessiveHalvingPruner : public Pruner {
 public:
  SuccessiveHalvingPruner(Direction direction, const Settings& settings)
      : direction_(direction), settings_(settings) {}

  bool should_prune(std::span<const SampledTrial> trials,
                    const SampledTrial& trial) const override {
    const std::int64_t resource = first_resource(trials);
    if (trial.reports.empty() || resource == 0) return false;
    const auto [last, value] = *trial.reports.rbegin();
    const double first = first_rung(resource);
    for (double step = first; step <= static_cast<double>(last);
         step *= static_cast<double>(settings_.reduction_factor)) {
      // Rungs reached with earlier reports were passed: the trial still runs.
      if (at_rung(trial.reports, step)->first < last) continue;
      if (std::isnan(value) || !is_promoted(trials, trial, first, step)) return true;
    }
    return false;
  }

 private:
  /// A hundredth of what the longest complete trial took, unless it is given.
  std::int64_t first_resource(std::span<const SampledTrial> trials) const {
    if (settings_.min_resource > 0) return settings_.min_resource;
    std::int64_t longest = -1;
    for (const SampledTrial& trial : trials)
      if (trial.state == TrialState::Complete && !trial.reports.empty())
        longest = std::max(longest, trial.reports.rbegin()->first);
    return longest < 0 ? 0 : std::max<std::int64_t>(longest / 100, 1);
  }

  double first_rung(std::int64_t resource) const {
    return static_cast<double>(resource) *
           std::pow(static_cast<double>(settings_.reduction_factor),
                    static_cast<double>(settings_.early_stopping_rate));
  }

  /// The first report at or after the rung.
  static Reports::const_iterator at_rung(const Reports& reports, double step) {
    return reports.lower_bound(static_cast<std::int64_t>(std::ceil(step)));
  }

  /// The value of another trial at the rung, if it reached it.
  std::optional<double> value_at_rung(const SampledTrial& trial, double first, double step) const {
    const auto report = at_rung(trial.reports, step);
    if (report == trial.reports.end() || std::isnan(report->second)) return std::nullopt;
    // Where several rungs share the last report of a pruned trial, it was pruned at the first of
    // them.
    const double before = step / static_cast<double>(settings_.reduction_factor);
    const bool fell_before = trial.state == TrialState::Pruned && before >= first &&
                             std::next(report) == trial.reports.end() &&
                             at_rung(trial.reports, before) == report;
    if (fell_before) return std::nullopt;
    return report->second;
  }

  bool is_promoted(std::span<const SampledTrial> trials, const SampledTrial& trial, double first,
                   double step) const {
    const double value = trial.reports.rbegin()->second;
    std::size_t rivals = 1;  // itself
    std::size_t better_ones = 0;
    for (const SampledTrial& other : trials) {
      if (other.number == trial.number) continue;
      const std::optional<double> theirs = value_at_rung(other, first, step);
      if (!theirs) continue;
      ++rivals;
      if (better(direction_, *theirs, value)) ++better_ones;
    }
    if (rivals <= settings_.bootstrap_count) return false;
    const auto factor = static_cast<std::size_t>(settings_.reduction_factor);
    return better_ones < std::max<std::size_t>(rivals / factor, 1);
  }

  Direction direction_;
  Settings settings_;
};

Result<std::unique_ptr<Pruner>> make(Direction direction, const Args& args) {
  const Settings settings{
      .min_resource = args.has("min_resource") ? args.integer("min_resource") : 0,
      .reduction_factor = args.integer("reduction_factor"),
      .early_stopping_rate = args.integer("min_early_stopping_rate"),
      .bootstrap_count = static_cast<std::size_t>(args.integer("bootstrap_count"))};
  if (settings.bootstrap_count > 0 && settings.min_resource == 0)
    return args.wrong("bootstrap_count", "needs a min_resource",
                      "give min_resource: without it the first trials decide on the rungs");
  return std::unique_ptr<Pruner>(std::make_unique<SuccessiveHalvingPruner>(direction, settings));
}

}  // namespace

PrunerDef define() {
  return {.name = "successive_halving",
          .doc = "lets the best share of the trials go on from each rung of a ladder of steps",
          .args = {{.name = "min_resource",
                    .doc = "step of the first rung; a hundredth of a complete trial's steps "
                           "unless given",
                    .kind = FieldKind::Integer,
                    .bounds = {.least = 1}},
                   {.name = "reduction_factor",
                    .initial = 4,
                    .doc = "one in so many goes on, and so many times farther is the next rung",
                    .bounds = {.least = 2}},
                   {.name = "min_early_stopping_rate",
                    .initial = 0,
                    .doc = "rungs left out at the beginning",
                    .bounds = {.least = 0, .most = 30}},
                   {.name = "bootstrap_count",
                    .initial = 0,
                    .doc = "trials that must reach a rung before any goes on from it",
                    .bounds = {.least = 0}}},
          .make = make};
}

}  // namespace chop::search::pruners::successive_halving
