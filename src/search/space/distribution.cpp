#include "search/space/distribution.hpp"

#include "support/text.hpp"

namespace chop::search {
namespace {

double clamp_to(const Distribution& d, double value) {
  return std::clamp(value, d.low, d.high);
}

/// The largest multiple of the step above `low` that is allowed, as a count of steps.
double last_step(const Distribution& d) {
  return std::floor((d.high - d.low) / d.step + 1e-8);
}

bool is_number(const Tree& tree) {
  return tree.as_integer() != nullptr || tree.as_real() != nullptr;
}

double number_of(const Tree& tree) {
  return tree.as_integer() != nullptr ? static_cast<double>(*tree.as_integer()) : *tree.as_real();
}

/// 4 and 4.0 are the same choice, as in Python; true is not 1.
bool same_choice(const Tree& a, const Tree& b) {
  return is_number(a) && is_number(b) ? number_of(a) == number_of(b) : a == b;
}

std::string shown(const Distribution& d, double value) {
  return d.kind == Distribution::Kind::Integer ? std::to_string(static_cast<std::int64_t>(value))
                                               : python_repr(value);
}

}  // namespace

Distribution Distribution::categorical(std::vector<Tree> choices) {
  return {.kind = Kind::Categorical, .choices = std::move(choices)};
}

Distribution Distribution::integer(std::int64_t low, std::int64_t high, std::int64_t step,
                                   bool log) {
  return {.kind = Kind::Integer,
          .low = static_cast<double>(low),
          .high = static_cast<double>(high),
          .step = static_cast<double>(step),
          .log = log};
}

Distribution Distribution::real(double low, double high, double step, bool log) {
  return {.kind = Kind::Real, .low = low, .high = high, .step = step, .log = log};
}

std::int64_t count_values(const Distribution& d) {
  if (d.kind == Distribution::Kind::Categorical) return static_cast<std::int64_t>(d.choices.size());
  if (d.low == d.high) return 1;
  const bool countable = d.step > 0 && last_step(d) <= 2 * Distribution::kLargestInteger;
  return countable ? static_cast<std::int64_t>(last_step(d)) + 1 : 0;
}

double nth_value(const Distribution& d, std::int64_t index) {
  if (d.kind == Distribution::Kind::Categorical) return static_cast<double>(index);
  return clamp_to(d, d.low + static_cast<double>(index) * d.step);
}

double value_at(const Distribution& d, double u) {
  using Kind = Distribution::Kind;
  if (d.kind == Kind::Categorical) {
    const auto count = static_cast<double>(d.choices.size());
    return std::min(std::floor(u * count), count - 1);
  }
  if (d.log) {
    // Every integer covers half a step on each side.
    const double half = d.kind == Kind::Integer ? 0.5 : 0;
    const double low = std::log(d.low - half);
    const double high = std::log(d.high + half);
    return nearest_value(d, std::exp(low + u * (high - low)));
  }
  if (d.step > 0) return clamp_to(d, d.low + std::floor(u * (last_step(d) + 1)) * d.step);
  return clamp_to(d, d.low + u * (d.high - d.low));
}

double nearest_value(const Distribution& d, double value) {
  if (d.kind == Distribution::Kind::Categorical)
    return std::clamp(std::round(value), 0.0, static_cast<double>(d.choices.size()) - 1);
  if (d.step <= 0) return clamp_to(d, value);
  const double steps = std::clamp(std::round((value - d.low) / d.step), 0.0, last_step(d));
  return clamp_to(d, d.low + steps * d.step);
}

bool contains(const Distribution& d, double value) {
  if (d.kind == Distribution::Kind::Categorical)
    return value >= 0 && value < static_cast<double>(d.choices.size()) &&
           value == std::floor(value);
  if (!(value >= d.low && value <= d.high)) return false;
  if (d.step <= 0) return true;
  return std::abs(value - nearest_value(d, value)) <= 1e-8 * d.step;
}

bool is_nameable(const Distribution& d, double value) {
  if (d.kind == Distribution::Kind::Categorical) return contains(d, value);
  if (d.kind == Distribution::Kind::Integer)
    return std::abs(value) <= Distribution::kLargestInteger;
  return !std::isnan(value);
}

Tree to_external(const Distribution& d, double value) {
  switch (d.kind) {
    case Distribution::Kind::Categorical:
      return d.choices[static_cast<std::size_t>(value)];
    case Distribution::Kind::Integer:
      return static_cast<std::int64_t>(value);
    case Distribution::Kind::Real:
      break;
  }
  return value;
}

Result<double> to_internal(const Distribution& d, const Tree& external) {
  const Error none{.what = cat(to_text(external), " is none of ", to_string(d))};
  if (d.kind == Distribution::Kind::Categorical) {
    const auto found =
        std::find_if(d.choices.begin(), d.choices.end(),
                     [&external](const Tree& choice) { return same_choice(choice, external); });
    if (found == d.choices.end()) return none;
    return static_cast<double>(found - d.choices.begin());
  }
  if (!is_number(external) || !contains(d, number_of(external))) return none;
  return number_of(external);
}

std::string to_string(const Distribution& d) {
  if (d.kind == Distribution::Kind::Categorical) {
    std::vector<std::string> shown_choices;
    for (const Tree& choice : d.choices) shown_choices.push_back(to_text(choice));
    return cat("[", join(shown_choices, ", "), "]");
  }
  std::string text = cat(shown(d, d.low), " .. ", shown(d, d.high));
  if (d.log) return text + " (log)";
  if (d.step > 0 && !(d.kind == Distribution::Kind::Integer && d.step == 1))
    text += cat(" step ", shown(d, d.step));
  return text;
}

}  // namespace chop::search
