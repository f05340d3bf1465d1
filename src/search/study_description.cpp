// The attributes of a study, as JSON: what check_same_study() compares.
#include <charconv>

#include "passes/quantise_nodes.hpp"
#include "search/study_identity.hpp"
#include "support/json.hpp"
#include "support/system/simd_level.hpp"

namespace chop::search {
namespace {

using namespace study_attributes;

Tree space_tree(const Space& space) {
  Tree tree = Tree::table();
  for (const SpaceParameter& parameter : space.parameters())
    tree[parameter.name] = parse_json(to_json_text(parameter.distribution), parameter.name).value();
  return tree;
}

/// What every trial of the space has in common: keys with one choice, and how ranges are chosen.
Tree fixed_tree(const SearchProblem& problem) {
  Tree tree = Tree::table();
  for (const auto& [name, value] : problem.fixed()) tree[name] = value;
  if (!problem.config().searches_formats) return tree;
  const Tree* setup = problem.config().space.find("setup");
  for (const Field& field : calibration_args()) {
    const Tree* given = setup == nullptr ? nullptr : setup->find(field.name);
    tree[cat("setup/", field.name)] = given == nullptr ? field.initial : *given;
  }
  return tree;
}

Tree objectives_tree(const SearchConfig& config) {
  Tree::List list;
  for (const ObjectiveMetric& metric : config.metrics)
    list.push_back(Tree::Table{{"metric", metric.name},
                               {"scale", metric.scale},
                               {"direction", name_of(metric.direction)}});
  return Tree::Table{{"metrics", std::move(list)}, {"sum", config.sum}};
}

Tree runners_tree(const SearchConfig& config) {
  Tree tree = Tree::table();
  for (const RunnerCall& call : config.runners) {
    Tree args = Tree::table();
    for (const Field& def : call.def->args)
      if (call.args.has(def.name)) args[def.name] = call.args.get(def.name);
    tree[call.def->name] = std::move(args);
  }
  return tree;
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits;
  return {digits.data(), std::to_chars(digits.begin(), digits.end(), number, 16).ptr};
}

std::string hash_of_weights(const Graph& graph) {
  std::uint64_t hash = 0;
  for (const Parameter& parameter : graph.parameters()) {
    const std::string_view bytes(reinterpret_cast<const char*>(parameter.value.bytes()),
                                 parameter.value.size_in_bytes());
    hash = mix64(hash ^ hash_text(parameter.name) ^ mix64(hash_text(bytes)));
  }
  return hexadecimal(hash);
}

/// Of the first rows of each split, which differ where files, seeds or scalings do.
std::string hash_of_data(const Dataset& data) {
  constexpr std::int64_t kRows = 1024;
  std::uint64_t hash = 0;
  for (const Split* split : {&data.train, &data.validation, &data.test}) {
    if (split->rows() == 0) continue;
    const std::int64_t rows = std::min(kRows, split->rows());
    for (const Tensor* tensor : {&split->x, &split->y}) {
      const auto row = tensor->size_in_bytes() / static_cast<std::size_t>(split->rows());
      const std::string_view bytes(reinterpret_cast<const char*>(tensor->bytes()),
                                   row * static_cast<std::size_t>(rows));
      hash = mix64(hash ^ mix64(hash_text(bytes)));
    }
  }
  return hexadecimal(hash);
}

/// What the stored values are: "accuracy", "0.2 average_bitwidth".
std::vector<std::string> value_names(const SearchConfig& config) {
  std::vector<std::string> names = config.objective_names();
  for (std::size_t i = 0; !config.sum && i < names.size(); ++i)
    if (const double scale = config.metrics[i].scale; scale != 1)
      names[i] = cat(python_repr(scale), " ", names[i]);
  return names;
}

}  // namespace

StudyInfo describe_study(const std::string& name, const SearchProblem& problem, const Graph& graph,
                         const Dataset& data) {
  const SearchConfig& config = problem.config();
  StudyInfo info{.name = name, .directions = config.directions()};
  info.user[kSpace] = to_json(space_tree(problem.space()));
  info.user[kFixed] = to_json(fixed_tree(problem));
  info.user[kData] = to_json(hash_of_data(data));
  info.user["objectives"] = to_json(objectives_tree(config));
  info.user["runners"] = to_json(runners_tree(config));
  info.user["network"] = to_json(graph.name());
  info.user["weights"] = to_json(hash_of_weights(graph));
  info.user["dataset"] = to_json(cat(data.name, ", ", data.train.rows(), " + ",
                                     data.validation.rows(), " + ", data.test.rows(), " rows"));
  if (const std::string level = simd_fingerprint(problem.depends_on_processor()); !level.empty())
    info.user[kSimd] = to_json(level);
  if (problem.trains()) info.user["training"] = problem.training_text();
  // Trials that do not train say only this of the options of training.
  if (const std::int64_t most = problem.most_batches(); most > 0 && !problem.trains())
    info.user["most_batches"] = to_json(most);
  info.system["study:metric_names"] = to_json(value_names(config));
  return info;
}

}  // namespace chop::search
