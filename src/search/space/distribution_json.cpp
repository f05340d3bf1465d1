// Distributions as Optuna writes them into its tables.
#include "search/space/distribution.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

/// With a space behind colons and commas, as Python writes it, so that dumps can be compared.
std::string python_text(const Tree& tree) {
  std::vector<std::string> parts;
  if (const Tree::Table* entries = tree.as_table()) {
    for (const auto& [key, value] : *entries)
      parts.push_back(cat(to_json(key), ": ", python_text(value)));
    return cat("{", join(parts, ", "), "}");
  }
  if (const Tree::List* items = tree.as_list()) {
    for (const Tree& item : *items) parts.push_back(python_text(item));
    return cat("[", join(parts, ", "), "]");
  }
  const double* real = tree.as_real();
  return real != nullptr && std::isfinite(*real) ? python_repr(*real) : to_json(tree);
}

Tree attributes_of(const Distribution& d) {
  if (d.kind == Distribution::Kind::Categorical) return Tree::Table{{"choices", d.choices}};
  if (d.kind == Distribution::Kind::Integer)
    return Tree::Table{{"log", d.log},
                       {"step", static_cast<std::int64_t>(d.step)},
                       {"low", static_cast<std::int64_t>(d.low)},
                       {"high", static_cast<std::int64_t>(d.high)}};
  return Tree::Table{{"step", d.step > 0 ? Tree(d.step) : Tree()},
                     {"low", d.low},
                     {"high", d.high},
                     {"log", d.log}};
}

/// Before Optuna 3 the ending of the name said what attributes say now.
Result<Distribution> numbers_from(const std::string& name, const Tree& attributes) {
  const auto number = [&attributes](const char* key, double otherwise) {
    const Tree& found = attributes[key];
    return found.is_number() ? found.number() : otherwise;
  };
  Distribution d;
  d.kind = name.starts_with("Int") ? Distribution::Kind::Integer : Distribution::Kind::Real;
  d.low = number("low", std::nan(""));
  d.high = number("high", std::nan(""));
  d.step = number("step", number("q", d.kind == Distribution::Kind::Integer ? 1 : 0));
  d.log = name.find("Log") != std::string::npos || attributes["log"] == Tree(true);
  const double most = d.kind == Distribution::Kind::Integer ? Distribution::kLargestInteger
                                                            : std::numeric_limits<double>::max();
  const bool bounded = d.low <= d.high && std::abs(d.low) <= most && std::abs(d.high) <= most;
  const bool stepped = d.step >= (d.kind == Distribution::Kind::Real ? 0 : 1) && d.step <= most;
  if (!bounded || !stepped || (d.log && d.low <= 0))
    return Error{.what = cat("a ", name, " with ", to_json(attributes))};
  return d;
}

}  // namespace

std::string to_json_text(const Distribution& d) {
  static constexpr std::array<const char*, 3> kNames = {"CategoricalDistribution",
                                                        "IntDistribution", "FloatDistribution"};
  return python_text(Tree::Table{{"name", kNames.at(static_cast<std::size_t>(d.kind))},
                                 {"attributes", attributes_of(d)}});
}

Result<Distribution> distribution_from_json(const std::string& text) {
  const Result<Tree> json = parse_json(text, "a distribution");
  const Error bad{.what = cat("'", text.substr(0, 200), "' is no distribution of Optuna's")};
  if (!json) return bad;
  const Tree& attributes = json.value()["attributes"];
  if (!json.value()["name"].is_text() || !attributes.is_table()) return bad;
  const std::string& name = *json.value()["name"].as_text();
  if (name == "CategoricalDistribution") {
    const Tree::List* choices = attributes["choices"].as_list();
    if (choices == nullptr || choices->empty()) return bad;
    return Distribution::categorical(*choices);
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

}  // namespace chop::search
