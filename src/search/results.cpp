#include "search/results.hpp"

#include <set>

#include "search/algorithms/pareto.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

Tree attribute(const Trial& trial, const std::string& name) {
  const auto found = trial.user.find(name);
  return found == trial.user.end() ? Tree() : attribute_value(found->second);
}

Tree milliseconds(LocalTime time) {
  return time == 0 ? Tree() : Tree(time / 1000);
}

/// Equal parameters are equal points, whatever came of them.
std::string point_key(const Trial& trial) {
  std::string key;
  for (const TrialParameter& parameter : trial.parameters)
    key += cat(parameter.name, "=", exact(parameter.value), ";");
  return key;
}

}  // namespace

std::vector<const Trial*> best_of(std::span<const Trial> trials,
                                  std::span<const Direction> directions) {
  std::vector<const Trial*> complete;
  std::vector<Losses> rows;
  for (const Trial& trial : trials) {
    if (trial.state != TrialState::Complete || trial.values.size() != directions.size()) continue;
    complete.push_back(&trial);
    rows.push_back(losses_of(trial.values, directions));
  }
  std::vector<const Trial*> best;
  std::set<std::string> seen;
  for (const std::size_t i : pareto_front(rows)) {
    if (directions.size() == 1 && !best.empty()) break;
    if (complete[i]->parameters.empty() || seen.insert(point_key(*complete[i])).second)
      best.push_back(complete[i]);
  }
  return best;
}

std::map<std::string, double> metrics_of(const Trial& trial) {
  std::map<std::string, double> found;
  for (const char* name : {"hardware_metrics", "software_metrics"}) {
    const Tree metrics = attribute(trial, name);
    if (!metrics.is_table()) continue;
    for (const auto& [metric, value] : *metrics.as_table())
      if (value.is_number()) found[metric] = value.number();
  }
  return found;
}

const Trial* favourite(const std::vector<const Trial*>& best,
                       std::span<const ObjectiveMetric> metrics) {
  std::vector<ObjectiveMetric> order(metrics.begin(), metrics.end());
  std::stable_partition(order.begin(), order.end(),
                        [](const ObjectiveMetric& one) { return !one.hardware; });
  const Trial* chosen = nullptr;
  for (const Trial* trial : best) {
    if (chosen == nullptr) {
      chosen = trial;
      continue;
    }
    const auto a = metrics_of(*trial);
    const auto b = metrics_of(*chosen);
    for (const ObjectiveMetric& metric : order) {
      const auto ours = a.find(metric.name);
      const auto theirs = b.find(metric.name);
      if (ours == a.end() || theirs == b.end() || ours->second == theirs->second) continue;
      // As it was searched for: times its scale, which may turn it round.
      if (better(metric.direction, metric.scale * ours->second, metric.scale * theirs->second))
        chosen = trial;
      break;
    }
  }
  return chosen;
}

Tree log_tree(std::span<const Trial> trials) {
  Tree::Table log;
  for (const Trial& trial : trials) {
    Tree& entry = log.emplace_back(std::to_string(trial.number), Tree()).second;
    entry["number"] = trial.number;
    if (trial.values.size() == 1) entry["value"] = trial.values[0];
    for (std::size_t i = 0; trial.values.size() > 1 && i < trial.values.size(); ++i)
      entry[cat("values_", i)] = trial.values[i];
    entry["datetime_start"] = milliseconds(trial.started);
    entry["datetime_complete"] = milliseconds(trial.completed);
    entry["duration"] = trial.started == 0 || trial.completed == 0
                            ? Tree()
                            : Tree((trial.completed - trial.started) / 1000);
    for (const auto& [name, text] : trial.user)
      entry[cat("user_attrs_", name)] = attribute_value(text);
    entry["state"] = name_of(trial.state);
  }
  return log;
}

Tree best_tree(const std::vector<const Trial*>& best) {
  Tree::Table list;
  for (std::size_t i = 0; i < best.size(); ++i) {
    Tree& entry = list.emplace_back(std::to_string(i), Tree()).second;
    entry["number"] = best[i]->number;
    entry["value"] = best[i]->values.size() == 1 ? Tree(best[i]->values[0]) : Tree(best[i]->values);
    for (const char* name :
         {"software_metrics", "hardware_metrics", "scaled_metrics", "sampled_config"})
      entry[name] = attribute(*best[i], name);
  }
  return list;
}

}  // namespace chop::search
