#include "cli/study_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/tree_json.hpp"

namespace chop {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

/// Python writes NaN and Infinity into JSON; such a text stays a text.
Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? Json(text) : json;
}

Json attributes(const AttributeMap& map) {
  Json json = Json::object();
  for (const auto& [key, text] : map) json[key] = parsed(text);
  return json;
}

Json time(LocalTime time) {
  return time == 0 ? Json() : Json(to_text(time));
}

}  // namespace

std::string_view word_for(Direction direction) {
  return direction == Direction::Minimise ? "minimise" : "maximise";
}

std::optional<double> duration_of(const Trial& trial) {
  if (trial.started == 0 || trial.completed == 0) return std::nullopt;
  return static_cast<double>(trial.completed - trial.started) / 1e6;
}

Json json_of(const Trial& trial) {
  Json json;
  json["number"] = trial.number;
  json["state"] = name_of(trial.state);
  json["values"] = Json::array();
  for (const double value : trial.values) json["values"].push_back(number(value));
  json["datetime_start"] = time(trial.started);
  json["datetime_complete"] = time(trial.completed);
  const std::optional<double> duration = duration_of(trial);
  json["duration"] = duration ? Json(*duration) : Json();
  json["params"] = Json::object();
  json["distributions"] = Json::object();
  for (const TrialParameter& parameter : trial.parameters) {
    json["params"][parameter.name] = to_json(to_external(parameter.distribution, parameter.value));
    json["distributions"][parameter.name] = parsed(to_json_text(parameter.distribution));
  }
  json["intermediate_values"] = Json::object();
  for (const auto& [step, value] : trial.reports)
    json["intermediate_values"][std::to_string(step)] = number(value);
  json["user_attrs"] = attributes(trial.user);
  json["system_attrs"] = attributes(trial.system);
  return json;
}

Json json_of(const StudyInfo& info) {
  Json json;
  json["study_name"] = info.name;
  json["directions"] = Json::array();
  for (const Direction direction : info.directions)
    json["directions"].push_back(word_for(direction));
  json["user_attrs"] = attributes(info.user);
  json["system_attrs"] = attributes(info.system);
  return json;
}

Json json_of(const Study& study) {
  Json json = json_of(study.info);
  json["trials"] = Json::array();
  for (const Trial& trial : study.trials) json["trials"].push_back(json_of(trial));
  return json;
}

}  // namespace chop
