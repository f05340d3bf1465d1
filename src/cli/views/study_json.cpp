#include "cli/views/study_json.hpp"

namespace chop::cli {
namespace {

Tree number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

Tree attributes(const AttributeMap& map) {
  Tree result = Tree::table();
  for (const auto& [key, text] : map) result[key] = attribute_value(text);
  return result;
}

Tree time(LocalTime time) {
  return time == 0 ? Tree() : Tree(to_text(time));
}

}  // namespace

std::optional<double> duration_of(const Trial& trial) {
  if (trial.started == 0 || trial.completed == 0) return std::nullopt;
  return static_cast<double>(trial.completed - trial.started) / 1e6;
}

Tree tree_of(const Trial& trial) {
  Tree result;
  result["number"] = trial.number;
  result["state"] = name_of(trial.state);
  result["values"] = Tree::list();
  for (const double value : trial.values) result["values"].push(number(value));
  result["datetime_start"] = time(trial.started);
  result["datetime_complete"] = time(trial.completed);
  result["duration"] = duration_of(trial);
  result["params"] = Tree::table();
  result["distributions"] = Tree::table();
  for (const TrialParameter& parameter : trial.parameters) {
    result["params"][parameter.name] = to_external(parameter.distribution, parameter.value);
    result["distributions"][parameter.name] = attribute_value(to_json_text(parameter.distribution));
  }
  result["intermediate_values"] = Tree::table();
  for (const auto& [step, value] : trial.reports)
    result["intermediate_values"][std::to_string(step)] = number(value);
  result["user_attrs"] = attributes(trial.user);
  result["system_attrs"] = attributes(trial.system);
  return result;
}

Tree tree_of(const StudyInfo& info) {
  Tree result;
  result["study_name"] = info.name;
  result["directions"] = Tree::list();
  for (const Direction direction : info.directions) result["directions"].push(word_for(direction));
  result["user_attrs"] = attributes(info.user);
  result["system_attrs"] = attributes(info.system);
  return result;
}

Tree tree_of(const Study& study) {
  Tree result = tree_of(study.info);
  result["trials"] = Tree::list();
  for (const Trial& trial : study.trials) result["trials"].push(tree_of(trial));
  return result;
}

}  // namespace chop::cli
