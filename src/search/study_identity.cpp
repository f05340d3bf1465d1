#include "search/study_identity.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/tree_json.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSpace = "search_space";
constexpr const char* kFixed = "fixed_choices";
constexpr const char* kData = "data";

/// Attributes that must agree, and the key of the configuration each comes from.
struct Mark {
  const char* attribute;
  const char* key;
};
constexpr std::array<Mark, 6> kMarks = {
    {{"objectives", "search.strategy.metrics"},
     {"runners", "search.strategy.sw_runner and hw_runner"},
     {"network", "model"},
     {"weights", "load_name (or seed, where nothing is loaded)"},
     {"dataset", "dataset"},
     {"training", "max_epochs, learning_rate and their kin"}}};

Json space_json(const Space& space) {
  Json json = Json::object();
  for (const SpaceParameter& parameter : space.parameters())
    json[parameter.name] = Json::parse(to_json_text(parameter.distribution));
  return json;
}

/// What every trial of the space has in common: keys with one choice, and how ranges are chosen.
Json fixed_json(const SearchProblem& problem) {
  Json json = Json::object();
  for (const auto& [name, value] : problem.fixed()) json[name] = to_json(value);
  if (!problem.config().searches_formats) return json;
  json["setup/calibration"] = "mse";
  json["setup/quantile"] = 0.999;
  json["setup/num_samples"] = 512;
  if (const Tree* setup = problem.config().space.find("setup"))
    for (const char* key : {"calibration", "quantile", "num_samples"})
      if (const Tree* given = setup->find(key)) json[cat("setup/", key)] = to_json(*given);
  return json;
}

Json objectives_json(const SearchConfig& config) {
  Json list = Json::array();
  for (const ObjectiveMetric& metric : config.metrics)
    list.push_back({{"metric", metric.name},
                    {"scale", metric.scale},
                    {"direction", std::string(name_of(metric.direction))}});
  return {{"metrics", list}, {"sum", config.sum}};
}

Json runners_json(const SearchConfig& config) {
  Json json = Json::object();
  for (const RunnerCall& call : config.runners) {
    Json args = Json::object();
    for (const ArgDef& def : call.def->args)
      if (call.args.has(def.name)) args[std::string(def.name)] = to_json(call.args.get(def.name));
    json[std::string(call.def->name)] = std::move(args);
  }
  return json;
}

std::string weights_mark(const Graph& graph) {
  std::uint64_t mark = 0;
  for (const Parameter& parameter : graph.parameters()) {
    const std::string_view bytes(reinterpret_cast<const char*>(parameter.value.bytes()),
                                 parameter.value.size_in_bytes());
    mark = mix64(mark ^ hash_text(parameter.name) ^ mix64(hash_text(bytes)));
  }
  return cat(std::hex, mark);
}

/// Of the first rows of each split, which differ where files, seeds or scalings do.
std::string data_mark(const Dataset& data) {
  constexpr std::int64_t kRows = 1024;
  std::uint64_t mark = 0;
  for (const Split* split : {&data.train, &data.validation, &data.test}) {
    if (split->rows() == 0) continue;
    const std::int64_t rows = std::min(kRows, split->rows());
    for (const Tensor* tensor : {&split->x, &split->y}) {
      const auto row = tensor->size_in_bytes() / static_cast<std::size_t>(split->rows());
      const std::string_view bytes(reinterpret_cast<const char*>(tensor->bytes()),
                                   row * static_cast<std::size_t>(rows));
      mark = mix64(mark ^ mix64(hash_text(bytes)));
    }
  }
  return cat(std::hex, mark);
}

Error another(const StudyInfo& study, std::string key, std::string what) {
  return {.what = cat(key, ": study '", study.name, "' ", what),
          .hint = "--study NAME begins another one; `ch study show` tells what this one is"};
}

std::string list_names(const std::vector<Direction>& directions) {
  std::vector<std::string> names;
  for (const Direction direction : directions) names.emplace_back(name_of(direction));
  return join(names, ", ");
}

/// The first parameter that is not the same in both spaces.
Status check_space(const StudyInfo& found, const Json& theirs, const Space& space) {
  for (const SpaceParameter& parameter : space.parameters()) {
    const auto other = theirs.find(parameter.name);
    if (other == theirs.end())
      return another(found, "search.search_space", cat("has no parameter ", parameter.name));
    const Result<Distribution> distribution = distribution_from_json(other->dump());
    if (!distribution || distribution.value() != parameter.distribution)
      return another(found, "search.search_space",
                     cat("has ", parameter.name, " from ",
                         distribution ? to_string(distribution.value()) : other->dump(),
                         ", here it is from ", to_string(parameter.distribution)));
  }
  for (const auto& [name, distribution] : theirs.items())
    if (!space.find(name))
      return another(found, "search.search_space",
                     cat("has a parameter ", name, " that is not searched here"));
  return {};
}

/// The first key with one choice whose choice is another one.
Status check_fixed(const StudyInfo& found, const StudyInfo& wanted) {
  const auto known = found.user.find(kFixed);
  if (known == found.user.end()) return {};
  const Json theirs = Json::parse(known->second, nullptr, /*allow_exceptions=*/false);
  const Json ours = Json::parse(wanted.user.at(kFixed));
  for (const Json* side : {&ours, &theirs})
    for (const auto& [name, value] : side->items()) {
      const std::string a = theirs.contains(name) ? theirs[name].dump() : "not there";
      const std::string b = ours.contains(name) ? ours[name].dump() : "not there";
      if (a != b)
        return another(found, "search.search_space",
                       cat("has ", name, " always ", a, ", here it is ", b));
    }
  return {};
}

/// Of a study that was begun elsewhere: every parameter of its trials must be one of ours.
Status check_trials(const Study& found, const Space& space) {
  for (const Trial& trial : found.trials)
    for (const TrialParameter& parameter : trial.parameters) {
      const auto at = space.find(parameter.name);
      if (!at)
        return another(found.info, "search.search_space",
                       cat("has a parameter ", parameter.name, " that is not searched here"));
      if (space.parameters()[*at].distribution != parameter.distribution)
        return another(found.info, "search.search_space",
                       cat("has ", parameter.name, " from ", to_string(parameter.distribution),
                           ", here it is from ", to_string(space.parameters()[*at].distribution)));
    }
  return {};
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
  info.user[kSpace] = space_json(problem.space()).dump();
  info.user[kFixed] = fixed_json(problem).dump();
  info.user[kData] = Json(data_mark(data)).dump();
  info.user["objectives"] = objectives_json(config).dump();
  info.user["runners"] = runners_json(config).dump();
  info.user["network"] = Json(graph.name()).dump();
  info.user["weights"] = Json(weights_mark(graph)).dump();
  info.user["dataset"] = Json(cat(data.name, ", ", data.train.rows(), " + ", data.validation.rows(),
                                  " + ", data.test.rows(), " rows"))
                             .dump();
  if (problem.trains()) info.user["training"] = problem.training_text();
  info.system["study:metric_names"] = Json(value_names(config)).dump();
  return info;
}

Status check_same_study(const StudyInfo& wanted, const Study& found, const Space& space) {
  if (found.info.directions != wanted.directions)
    return another(found.info, "search.strategy.metrics",
                   cat("has the objectives ", list_names(found.info.directions), ", here they are ",
                       list_names(wanted.directions)));
  const auto known = found.info.user.find(kSpace);
  if (known == found.info.user.end()) return check_trials(found, space);
  const Json theirs = Json::parse(known->second, nullptr, /*allow_exceptions=*/false);
  CH_CHECK(check_space(found.info, theirs, space));
  CH_CHECK(check_fixed(found.info, wanted));
  for (const Mark& mark : kMarks) {
    const auto ours = wanted.user.find(mark.attribute);
    const auto other = found.info.user.find(mark.attribute);
    const std::string a = other == found.info.user.end() ? "null" : other->second;
    const std::string b = ours == wanted.user.end() ? "null" : ours->second;
    if (Json::parse(a, nullptr, false) != Json::parse(b, nullptr, false))
      return another(found.info, mark.key, cat("was made with ", a, ", here it is ", b));
  }
  const auto data = found.info.user.find(kData);
  if (data != found.info.user.end() && data->second != wanted.user.at(kData))
    return another(found.info, "dataset",
                   "was made with other rows: another file, seed, split or scaling of the inputs");
  return {};
}

Status open_study(StudyStore& store, const StudyInfo& wanted, const Space& space) {
  CH_TRY(std::optional<StudyInfo> known, store.find(wanted.name));
  if (!known) {
    if (Status created = store.create(wanted); created) return {};
    CH_TRY(known, store.find(wanted.name));  // another process may have been faster
    if (!known) return store.create(wanted);
  }
  CH_TRY(const Study found, store.read(wanted.name));
  CH_CHECK(check_same_study(wanted, found, space));
  if (found.info.user.contains(kSpace)) return {};
  // Begun in Optuna: from now on it is a study of this search.
  for (const auto& [key, json] : wanted.user)
    CH_CHECK(store.set_user_attribute(wanted.name, key, json));
  return {};
}

Status check_same_marks(const StudyInfo& a, const StudyInfo& b) {
  std::vector<const char*> attributes = {kSpace, kFixed, kData};
  for (const Mark& mark : kMarks) attributes.push_back(mark.attribute);
  for (const char* attribute : attributes) {
    const auto one = a.user.find(attribute);
    const auto other = b.user.find(attribute);
    if (one == a.user.end() || other == b.user.end()) continue;
    if (Json::parse(one->second, nullptr, false) != Json::parse(other->second, nullptr, false))
      return Error{.what = cat("studies '", a.name, "' and '", b.name, "' differ in ", attribute),
                   .notes = {cat("'", a.name, "': ", one->second.substr(0, 200)),
                             cat("'", b.name, "': ", other->second.substr(0, 200))},
                   .hint = "their trials cannot be compared with each other"};
  }
  return {};
}

}  // namespace chop
