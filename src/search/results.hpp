// What a study has come to: its best trials, and files as the reference system writes them.
#pragma once

#include "search/algorithms/sampler_def.hpp"
#include "support/tree.hpp"

namespace chop::search {

/// Complete trials that no other one beats, by number: the best one (of equals the first), or
/// with several objectives the Pareto front; of trials with the same parameters the first.
std::vector<const Trial*> best_of(std::span<const Trial> trials,
                                  std::span<const Direction> directions);

/// Metrics of a trial by name, software and hardware ones.
std::map<std::string, double> metrics_of(const Trial& trial);

/// The trial a person would take from the best: the one with the best first software metric,
/// among equals the one with better hardware metrics. Null: there is none.
const Trial* favourite(const std::vector<const Trial*>& best,
                       std::span<const ObjectiveMetric> metrics);

/// log.json and best.json of the reference system: one object per trial, keyed by index.
Tree log_tree(std::span<const Trial> trials);
Tree best_tree(const std::vector<const Trial*>& best);

}  // namespace chop::search
