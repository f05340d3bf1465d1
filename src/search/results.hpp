// What a study has come to: its best trials, and files as the reference system writes them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "search/sampler_def.hpp"

namespace chop {

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

/// JSON on one line. Bytes that are no UTF-8, as names from a data base may have, are replaced.
std::string to_line(const nlohmann::ordered_json& json);

/// log.json and best.json of the reference system: one object per trial, keyed by index.
nlohmann::ordered_json log_json(std::span<const Trial> trials);
nlohmann::ordered_json best_json(const std::vector<const Trial*>& best);

}  // namespace chop
