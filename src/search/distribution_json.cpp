// Distributions as Optuna writes them into its tables.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/tree_json.hpp"
#include "search/distribution.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Distribution::Kind;

/// Python puts a space behind colons and commas; Optuna compares texts nowhere, people do.
std::string python_text(const Json& json) {
  if (json.is_object() || json.is_array()) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : json.items())
      parts.push_back(json.is_object() ? cat(Json(key).dump(), ": ", python_text(value))
                                       : python_text(value));
    return json.is_object() ? cat("{", join(parts, ", "), "}") : cat("[", join(parts, ", "), "]");
  }
  if (json.is_number_float() && std::isfinite(json.get<double>()))
    return python_repr(json.get<double>());
  return json.dump();
}

Json attributes_of(const Distribution& d) {
  Json json;
  if (d.kind == Kind::Categorical) {
    json["choices"] = Json::array();
    for (const Tree& choice : d.choices) json["choices"].push_back(to_json(choice));
  } else if (d.kind == Kind::Integer) {
    json = {{"log", d.log},
            {"step", static_cast<std::int64_t>(d.step)},
            {"low", static_cast<std::int64_t>(d.low)},
            {"high", static_cast<std::int64_t>(d.high)}};
  } else {
    json = {{"step", d.step > 0 ? Json(d.step) : Json()},
            {"low", d.low},
            {"high", d.high},
            {"log", d.log}};
  }
  return json;
}

/// Names before Optuna 3 told by their endings what attributes tell now.
Result<Distribution> numbers_from(const std::string& name, const Json& attributes) {
  const auto number = [&attributes](const char* key, double otherwise) {
    const auto found = attributes.find(key);
    return found != attributes.end() && found->is_number() ? found->get<double>() : otherwise;
  };
  Distribution d;
  d.kind = name.starts_with("Int") ? Kind::Integer : Kind::Real;
  d.low = number("low", std::nan(""));
  d.high = number("high", std::nan(""));
  d.step = number("step", number("q", d.kind == Kind::Integer ? 1 : 0));
  const auto log = attributes.find("log");
  d.log = name.find("Log") != std::string::npos ||
          (log != attributes.end() && log->is_boolean() && log->get<bool>());
  const double most =
      d.kind == Kind::Integer ? Distribution::kLargestInteger : std::numeric_limits<double>::max();
  const bool bounded = d.low <= d.high && std::abs(d.low) <= most && std::abs(d.high) <= most;
  const bool stepped = d.step >= (d.kind == Kind::Real ? 0 : 1) && d.step <= most;
  if (!bounded || !stepped || (d.log && d.low <= 0))
    return Error{.what = cat("a ", name, " with ", attributes.dump())};
  return d;
}

}  // namespace

std::string to_json_text(const Distribution& d) {
  static constexpr std::array<const char*, 3> kNames = {"CategoricalDistribution",
                                                        "IntDistribution", "FloatDistribution"};
  return python_text(
      {{"name", kNames.at(static_cast<std::size_t>(d.kind))}, {"attributes", attributes_of(d)}});
}

Result<Distribution> distribution_from_json(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Error bad{.what = cat("'", text.substr(0, 200), "' is no distribution of Optuna's")};
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string() ||
      !json.contains("attributes") || !json["attributes"].is_object())
    return bad;
  const std::string name = json["name"].get<std::string>();
  const Json& attributes = json["attributes"];
  if (name == "CategoricalDistribution") {
    const auto choices = attributes.find("choices");
    if (choices == attributes.end() || !choices->is_array() || choices->empty()) return bad;
    std::vector<Tree> found;
    for (const Json& choice : *choices) found.push_back(tree_of(choice));
    return Distribution::categorical(std::move(found));
  }
  static const std::vector<std::string> kNumbers = {
      "FloatDistribution",           "IntDistribution",
      "UniformDistribution",         "LogUniformDistribution",
      "DiscreteUniformDistribution", "IntUniformDistribution",
      "IntLogUniformDistribution"};
  if (std::find(kNumbers.begin(), kNumbers.end(), name) == kNumbers.end()) return bad;
  Result<Distribution> numbers = numbers_from(name, attributes);
  return numbers ? numbers : bad;
}

}  // namespace chop
