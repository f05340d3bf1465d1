// The space of a search: parameters in order. Some are active only when another has certain values,
// such as the keys of a format when the format itself is searched:
//
//   fc/config/name          integer | minifloat_ieee
//   fc/config/width         4 | 8                        always active
//   fc/config/exponent      2 | 3                        active while name is minifloat_ieee
//
// has 2 + 4 = 6 points. NaN marks a parameter that is not active.
#pragma once

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
  /// Active if one of these holds, or if there are none. Parents come before their children and
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
/// Equal values, with the same parameters inactive.
bool same_point(const Point& a, const Point& b);

class Space {
 public:
  Space() = default;
  explicit Space(std::vector<SpaceParameter> parameters);

  std::span<const SpaceParameter> parameters() const { return parameters_; }
  std::size_t dimensions() const { return parameters_.size(); }
  std::optional<std::size_t> find(std::string_view name) const;

  /// The number of points, up to 2^63 - 1. Nothing: more than that, or infinitely many.
  std::optional<std::int64_t> size() const { return size_; }
  /// The `index`-th of size() points, the last parameter changing fastest.
  Point at(std::int64_t index) const;

  /// Whether a parameter is active at a point whose parents are set.
  bool active(const Point& point, std::size_t parameter) const;
  /// The point with all inactive parameters set to NaN. Active ones that are NaN stay so.
  Point canonical(Point point) const;
  /// A random point: parameter i uses number `first + i` of the stream.
  Point draw(const Stream& stream, std::uint64_t first = 0) const;
  /// Every active parameter has an allowed value, every other one is NaN.
  bool holds(const Point& point) const;

  bool operator==(const Space& other) const { return parameters_ == other.parameters_; }

 private:
  /// Parameters that depend on each other, their parents included. Different parts are independent,
  /// so the number of points is the product over the parts.
  struct Part {
    std::vector<std::size_t> members;
    std::int64_t points = 1;
  };
  void find_parts();
  /// In how many ways the members from `from` on can be chosen, given those before; -1: too many to
  /// count.
  std::int64_t completions(const Part& part, std::size_t from, Point& point) const;
  /// Sets the members of a part to their `index`-th combination.
  void set_part(const Part& part, std::int64_t index, Point& point) const;

  std::vector<SpaceParameter> parameters_;
  std::vector<bool> is_parent_;
  std::vector<Part> parts_;  ///< in the order of their first members
  std::optional<std::int64_t> size_ = 1;
};

}  // namespace chop::search
