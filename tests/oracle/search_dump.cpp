// oracle_search_dump WHAT: reads JSON, writes JSON, for search_test.py.
//   sobol          {"points", "dimensions"}: fractions, unscrambled
//   prune          {"pruner", "direction", "options", "curves": [[[step, value], ...], ...]}:
//   trials
//                  run one after the other; how many reports each made before it was ended
//   importance     {"space": [Optuna's distributions], "points", "values"}: one number each
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "search/algorithms/importance.hpp"
#include "search/algorithms/pruner_def.hpp"
#include "search/algorithms/sobol.hpp"

namespace chop {
namespace {

using Json = nlohmann::json;

double number_of(const Json& json) {
  return json.is_null() ? std::nan("") : json.get<double>();
}

Result<Json> sobol(const Json& task) {
  Json rows = Json::array();
  for (std::uint32_t i = 0; i < task["points"].get<std::uint32_t>(); ++i) {
    Json row = Json::array();
    for (std::size_t k = 0; k < task["dimensions"].get<std::size_t>(); ++k)
      row.push_back(sobol_bits(k, i) * 0x1p-32);
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Json> prune(const Json& task) {
  CH_TRY(const PrunerDef* def, find_pruner(task["pruner"].get<std::string>()));
  Tree options = Tree::table();
  for (const auto& [key, value] : task["options"].items())
    options.set(key, value.get<std::int64_t>());
  CH_TRY(const Args args, Args::check(def->args, options, {.path = "pruner"}));
  const auto direction = direction_from_name(task["direction"].get<std::string>());
  CH_TRY(const std::unique_ptr<Pruner> pruner, def->make(direction.value(), args));
  std::vector<SampledTrial> trials;
  Json lengths = Json::array();
  for (const Json& curve : task["curves"]) {
    trials.push_back({.number = static_cast<std::int64_t>(trials.size()), .point = {0}});
    SampledTrial& trial = trials.back();
    trial.state = TrialState::Complete;
    for (const Json& report : curve) {
      trial.reports[report[0].get<std::int64_t>()] = number_of(report[1]);
      trial.state = TrialState::Running;
      const bool ends = pruner->should_prune(trials, trial);
      if (ends != pruner->should_prune(trials, trial)) return Error{.what = "changed its mind"};
      trial.state = ends ? TrialState::Pruned : TrialState::Complete;
      if (ends) break;
    }
    lengths.push_back(trial.reports.size());
  }
  return lengths;
}

Result<Json> importance(const Json& task) {
  std::vector<SpaceParameter> parameters;
  for (const Json& text : task["space"]) {
    CH_TRY(Distribution distribution, distribution_from_json(text.get<std::string>()));
    parameters.push_back({cat("p", parameters.size()), std::move(distribution)});
  }
  const Space space(std::move(parameters));
  std::vector<Point> points;
  for (const Json& row : task["points"]) {
    points.emplace_back();
    for (const Json& value : row) points.back().push_back(number_of(value));
  }
  const auto values = task["values"].get<std::vector<double>>();
  return Json(parameter_importances(space, points, values));
}

Result<Json> answer(const std::string& what, const Json& task) {
  if (what == "sobol") return sobol(task);
  if (what == "prune") return prune(task);
  if (what == "importance") return importance(task);
  return Error{.what = "needs sobol, prune or importance"};
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  const auto result = chop::answer(argc > 1 ? argv[1] : "", nlohmann::json::parse(std::cin));
  if (result) {
    std::cout << result.value() << '\n';
    return EXIT_SUCCESS;
  }
  std::cerr << chop::to_string(result.error()) << '\n';
  return EXIT_FAILURE;
}
