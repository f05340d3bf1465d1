// What [search.strategy.setup] takes, and what follows from a configuration.
#include "search/search_config.hpp"

namespace chop::search {

std::vector<Direction> SearchConfig::directions() const {
  if (sum) return {direction};
  std::vector<Direction> found;
  for (const ObjectiveMetric& metric : metrics) found.push_back(metric.direction);
  return found;
}

std::vector<std::string> SearchConfig::objective_names() const {
  if (sum) return {"sum of scaled metrics"};
  std::vector<std::string> found;
  for (const ObjectiveMetric& metric : metrics) found.push_back(metric.name);
  return found;
}

std::span<const Field> search_setup_args() {
  static const std::vector<Field> defs = {
      {.name = "n_trials",
       .initial = 20,
       .doc = "trials the study should have in all, those of other workers included",
       .bounds = {.least = 1}},
      {.name = "n_jobs", .initial = 1, .doc = "trials at a time; -1: one per core"},
      {.name = "timeout",
       .doc = "seconds after which no further trial begins",
       .kind = FieldKind::Real,
       .bounds = {.above = 0}},
      {.name = "sampler", .initial = "tpe", .doc = "what chooses the next trial"},
      {.name = "pruner", .initial = "none", .doc = "what ends unpromising trials early"},
      {.name = "sum_scaled_metrics",
       .initial = false,
       .doc = "one objective, the sum of scale times metric; else a Pareto front"},
      {.name = "direction", .doc = "of the sum: maximize or minimize"},
      {.name = "pkl_ckpt", .doc = "accepted because the reference system has it"},
      {.name = "save_every_n_trials",
       .doc = "accepted because the reference system has it; every trial is saved",
       .kind = FieldKind::Integer}};
  return defs;
}

}  // namespace chop::search
