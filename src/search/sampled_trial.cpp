// Trials between their stored form and the points of a space.
#include "search/engine.hpp"
#include "search/results.hpp"
#include "support/json.hpp"

namespace chop::search {

SampledTrial as_sampled(const Trial& trial, const Space& space) {
  SampledTrial sampled{.number = trial.number,
                       .state = trial.state,
                       .point = Point(space.dimensions(), kInactive),
                       .values = trial.values,
                       .reports = trial.reports,
                       .metrics = metrics_of(trial)};
  for (const TrialParameter& parameter : trial.parameters) {
    const auto at = space.find(parameter.name);
    if (!at || space.parameters()[*at].distribution != parameter.distribution) continue;
    sampled.point[*at] = parameter.value;
  }
  if (!space.holds(sampled.point)) sampled.point.clear();
  return sampled;
}

std::vector<TrialParameter> parameters_of(const Space& space, const Point& point) {
  std::vector<TrialParameter> found;
  for (std::size_t i = 0; i < point.size(); ++i)
    if (is_active(point[i]))
      found.push_back({space.parameters()[i].name, space.parameters()[i].distribution, point[i]});
  return found;
}

std::string fixed_parameters(const std::vector<TrialParameter>& parameters) {
  Tree tree = Tree::table();
  for (const TrialParameter& one : parameters)
    tree[one.name] = to_external(one.distribution, one.value);
  return to_json(tree);
}

Point point_from_fixed(const Space& space, const std::string& text) {
  Point point(space.dimensions(), kInactive);
  const Result<Tree> json = parse_json(text, "fixed parameters");
  if (!json || !json.value().is_table()) return point;
  for (const auto& [name, value] : *json.value().as_table()) {
    const auto at = space.find(name);
    if (!at) continue;
    const Result<double> inside = to_internal(space.parameters()[*at].distribution, value);
    if (inside) point[*at] = inside.value();
  }
  return point;
}

}  // namespace chop::search
