#include "search/results.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "search/pareto.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

using Json = nlohmann::ordered_json;

/// Python writes NaN and Infinity into JSON; such a text stays a text.
Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? Json(text) : json;
}

Json attribute(const Trial& trial, const std::string& name) {
  const auto found = trial.user.find(name);
  return found == trial.user.end() ? Json() : parsed(found->second);
}

Json milliseconds(LocalTime time) {
  return time == 0 ? Json() : Json(time / 1000);
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
    const Json metrics = attribute(trial, name);
    if (!metrics.is_object()) continue;
    for (const auto& [metric, value] : metrics.items())
      if (value.is_number()) found[metric] = value.get<double>();
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

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json log_json(std::span<const Trial> trials) {
  Json log = Json::object();
  for (const Trial& trial : trials) {
    Json& entry = log[std::to_string(trial.number)];
    entry["number"] = trial.number;
    if (trial.values.size() == 1) entry["value"] = trial.values[0];
    for (std::size_t i = 0; trial.values.size() > 1 && i < trial.values.size(); ++i)
      entry[cat("values_", i)] = trial.values[i];
    entry["datetime_start"] = milliseconds(trial.started);
    entry["datetime_complete"] = milliseconds(trial.completed);
    entry["duration"] = trial.started == 0 || trial.completed == 0
                            ? Json()
                            : Json((trial.completed - trial.started) / 1000);
    for (const auto& [name, text] : trial.user) entry[cat("user_attrs_", name)] = parsed(text);
    entry["state"] = std::string(name_of(trial.state));
  }
  return log;
}

Json best_json(const std::vector<const Trial*>& best) {
  Json list = Json::object();
  for (std::size_t i = 0; i < best.size(); ++i) {
    Json& entry = list[std::to_string(i)];
    entry["number"] = best[i]->number;
    entry["value"] = best[i]->values.size() == 1 ? Json(best[i]->values[0]) : Json(best[i]->values);
    for (const char* name :
         {"software_metrics", "hardware_metrics", "scaled_metrics", "sampled_config"})
      entry[name] = attribute(*best[i], name);
  }
  return list;
}

}  // namespace chop
