// The space a search is over: parameters in order, some of them only there when another has
// certain values (the keys of a format, when the format itself is searched).
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/space/distribution.hpp"
#include "support/rng.hpp"

namespace chop::search {

/// Holds while the categorical parameter `parent` has one of the marked choices.
struct Condition {
  std::size_t parent = 0;
  std::vector<bool> choices;

  bool operator==(const Condition&) const = default;
};

struct SpaceParameter {
  std::string name;  ///< "seq_blocks_2/config/weight_width"
  Distribution distribution;
  /// Active if one of these holds, or if there are none. Parents stand before their children and
  /// have no conditions themselves.
  std::vector<Condition> when = {};

  bool operator==(const SpaceParameter&) const = default;
};

/// One value per parameter of a space; NaN: not active.
using Point = std::vector<double>;
constexpr double kInactive = std::numeric_limits<double>::quiet_NaN();
inline bool is_active(double value) {
  return !std::isnan(value);
}
/// Equal values, inactive ones at the same places.
bool same_point(const Point& a, const Point& b);

class Space {
 public:
  Space() = default;
  explicit Space(std::vector<SpaceParameter> parameters);

  std::span<const SpaceParameter> parameters() const { return parameters_; }
  std::size_t dimensions() const { return parameters_.size(); }
  std::optional<std::size_t> find(std::string_view name) const;

  /// How many points there are: exactly up to 2^63 - 1. Nothing: more than that, or a continuum.
  std::optional<std::int64_t> size() const { return size_; }
  /// The `index`-th of size() points, the last parameter changing fastest.
  Point at(std::int64_t index) const;

  /// Whether a parameter is active at a point whose parents are set.
  bool active(const Point& point, std::size_t parameter) const;
  /// The point with NaN at all places that are not active. Places that are and hold NaN stay so.
  Point canonical(Point point) const;
  /// A random point: parameter i uses number `first + i` of the stream.
  Point draw(const Stream& stream, std::uint64_t first = 0) const;
  /// Every active place holds an allowed value, every other one NaN.
  bool holds(const Point& point) const;

  bool operator==(const Space& other) const { return parameters_ == other.parameters_; }

 private:
  /// Parameters that depend on each other, parents among them; parts are independent.
  struct Part {
    std::vector<std::size_t> members;
    std::int64_t points = 1;
  };
  void find_parts();
  /// Points of members from position `from` on, with what is set before it; -1: too many.
  std::int64_t completions(const Part& part, std::size_t from, Point& point) const;
  void place(const Part& part, std::int64_t index, Point& point) const;

  std::vector<SpaceParameter> parameters_;
  std::vector<bool> is_parent_;
  std::vector<Part> parts_;  ///< in the order of their first members
  std::optional<std::int64_t> size_ = 1;
};

}  // namespace chop::search
