// Studies for a script that compares with Optuna:
//   oracle_study_store write URL < JSON   makes the study, trial by trial as a search does
//   oracle_study_store read URL NAME      prints all there is
//   oracle_study_store run URL NAME N     adds N trials, the waiting ones first
#include <cmath>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/views/study_json.hpp"
#include "search/store/store.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace {

using namespace chop;
using Json = nlohmann::ordered_json;

double number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  return json == "inf" ? infinity : -infinity;
}

AttributeMap attributes(const Json& json) {
  AttributeMap map;
  for (const auto& [key, value] : json.items()) map[key] = value.dump();
  return map;
}

Result<Trial> trial_of(const Json& json) {
  Trial trial{.number = json["number"],
              .state = *state_from_name(json["state"].get<std::string>()),
              .user = attributes(json["user_attrs"]),
              .system = attributes(json["system_attrs"])};
  for (const auto& [name, value] : json["params"].items()) {
    CH_TRY(Distribution distribution, distribution_from_json(json["distributions"][name].dump()));
    trial.parameters.push_back({name, std::move(distribution), value});
  }
  for (const Json& value : json["values"]) trial.values.push_back(number(value));
  for (const auto& [step, value] : json["intermediate_values"].items())
    trial.reports[parse_int(step).value_or(0)] = number(value);
  const auto time = [&json](const char* key) {
    return json[key].is_null() ? 0 : *local_time_from(json[key].get<std::string>());
  };
  trial.started = time("datetime_start");
  trial.completed = time("datetime_complete");
  return trial;
}

/// Begins the trial, reports its intermediate values, ends it.
Status add(StudySession& session, const Trial& trial) {
  Trial begun = trial;
  begun.values.clear();
  begun.reports.clear();
  begun.user.clear();
  begun.completed = 0;
  if (trial.state != TrialState::Waiting) begun.state = TrialState::Running;
  CH_TRY(const StudyUpdates first, session.begin());
  CH_CHECK(session.commit({.added = {begun}}));
  for (const auto& [step, value] : trial.reports)
    CH_CHECK(session.report(trial.number, step, value));
  CH_TRY(const StudyUpdates second, session.begin());
  return session.commit({.changed = {trial}});
}

Status write(const std::string& url) {
  const Json json = Json::parse(std::cin);
  StudyInfo info{.name = json["study_name"],
                 .user = attributes(json["user_attrs"]),
                 .system = attributes(json["system_attrs"])};
  for (const Json& one : json["directions"])
    info.directions.push_back(*direction_from_name(one.get<std::string>()));
  CH_TRY(const auto store, open_store(url));
  CH_CHECK(store->create(info));
  CH_TRY(const auto session, store->join(info.name, {.heartbeat = json["heartbeat"]}));
  for (const Json& one : json["trials"]) {
    CH_TRY(const Trial trial, trial_of(one));
    CH_CHECK(add(*session, trial));
  }
  return session->flush();
}

Status read(const std::string& url, const std::string& name) {
  CH_TRY(const auto store, open_store(url, Create::No));
  CH_TRY(const Study study, store->read(name));
  std::cout << to_json(tree_of(study)) << '\n';
  return {};
}

Status run(const std::string& url, const std::string& name, std::int64_t count) {
  CH_TRY(const auto store, open_store(url, Create::No));
  CH_TRY(const auto session, store->join(name, {.heartbeat = 1}));
  std::map<std::int64_t, Trial> known;
  for (std::int64_t i = 0; i < count; ++i) {
    CH_TRY(StudyUpdates updates, session->begin());
    for (Trial& trial : updates.trials) known[trial.number] = std::move(trial);
    StudyChanges changes;
    std::int64_t number = static_cast<std::int64_t>(known.size());
    for (auto& [each, trial] : known)
      if (trial.state == TrialState::Waiting) number = std::min(number, each);
    const bool waited = known.count(number) > 0;
    Trial trial = waited ? known[number] : Trial{.number = number};
    trial.state = TrialState::Running;
    trial.started = local_now();
    if (trial.parameters.empty())
      trial.parameters = {{"x", Distribution::real(0, 10), 0.25 * static_cast<double>(i)}};
    known[number] = trial;
    (waited ? changes.changed : changes.added).push_back(trial);
    CH_CHECK(session->commit(changes));
    CH_TRY(updates, session->begin());
    for (Trial& other : updates.trials) known[other.number] = std::move(other);
    trial.state = TrialState::Complete;
    trial.values = {1.0 + static_cast<double>(i)};
    trial.user["by"] = "\"ours\"";
    trial.completed = local_now();
    known[number] = trial;
    CH_CHECK(session->commit({.changed = {trial}}));
  }
  return session->flush();
}

Status answer(std::span<char*> words) {
  const std::string verb = words.size() > 2 ? words[1] : "";
  if (verb == "write") return write(words[2]);
  if (verb == "read" && words.size() > 3) return read(words[2], words[3]);
  if (verb == "run" && words.size() > 4)
    return run(words[2], words[3], parse_int(words[4]).value_or(1));
  return Error{.what = "write, read or run"};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Status status = answer({argv, static_cast<std::size_t>(argc)});
    if (status) return 0;
    std::cerr << to_string(status.error());
  } catch (const std::exception& wrong) {  // JSON that is none
    std::cerr << wrong.what() << '\n';
  }
  return 1;
}
