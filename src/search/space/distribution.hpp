// The values one parameter of a search may have: a list of choices, an integer range or a real
// range. These are Optuna's three distributions.
//
// Internally a value is a double, as Optuna stores it: the index of a choice, or the number itself.
#pragma once

#include "support/tree.hpp"

namespace chop::search {

struct Distribution {
  enum class Kind : std::uint8_t { Categorical, Integer, Real };

  Kind kind = Kind::Categorical;
  std::vector<Tree> choices = {};  ///< Categorical: nothing, flags, numbers, texts
  double low = 0;                  ///< Integer, Real: bounds, both allowed
  double high = 0;
  double step = 0;   ///< 0: none (Real); of an Integer at least 1
  bool log = false;  ///< drawn uniformly over the logarithm; then the step is 0 or 1

  /// Bounds and steps of an Integer are whole and at most this, so that doubles are exact.
  static constexpr double kLargestInteger = 0x1p53;

  static Distribution categorical(std::vector<Tree> choices);
  static Distribution integer(std::int64_t low, std::int64_t high, std::int64_t step = 1,
                              bool log = false);
  static Distribution real(double low, double high, double step = 0, bool log = false);

  bool operator==(const Distribution&) const = default;
};

/// How many values there are; 0: infinitely many, or steps too small for a double.
std::int64_t count_values(const Distribution& distribution);
/// The `index`-th of them, in order.
double nth_value(const Distribution& distribution, std::int64_t index);
/// The value for `u` in (0, 1): a uniform `u` gives a value drawn from the distribution.
double value_at(const Distribution& distribution, double u);
/// The nearest value that is allowed.
double nearest_value(const Distribution& distribution, double value);
bool contains(const Distribution& distribution, double value);
/// Whether to_external has a text for the value: an existing choice, or a number, in the range or
/// not.
bool is_nameable(const Distribution& distribution, double value);

/// From the internal value to what users read and write, and back; an error when it is not one of
/// the distribution's.
Tree to_external(const Distribution& distribution, double value);
Result<double> to_internal(const Distribution& distribution, const Tree& external);

/// "2, 4, 8" in brackets, or "1e-05 .. 0.1 (log)".
std::string to_string(const Distribution& distribution);
/// As Optuna writes it: {"name": "CategoricalDistribution", "attributes": {...}}.
std::string to_json_text(const Distribution& distribution);
/// Reads what Optuna writes, that of earlier versions (UniformDistribution ...) too.
Result<Distribution> distribution_from_json(const std::string& text);

}  // namespace chop::search
