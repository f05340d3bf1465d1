// Counts and enumerates points when some parameters are active only under others: independent parts
// are counted apart and multiplied.
#include "search/space/space.hpp"

#include <numeric>

namespace chop::search {
namespace {

constexpr std::int64_t kTooMany = -1;

/// a · b, or kTooMany; either may be that already.
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return kTooMany;
  return product;
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return kTooMany;
  return sum;
}

/// Infinitely many values count as too many.
std::int64_t countable(const Distribution& distribution) {
  const std::int64_t count = count_values(distribution);
  return count == 0 ? kTooMany : count;
}

}  // namespace

bool same_point(const Point& a, const Point& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (!is_active(x) && !is_active(y)); });
}

Space::Space(std::vector<SpaceParameter> parameters)
    : parameters_(std::move(parameters)), is_parent_(parameters_.size(), false) {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    for (const Condition& condition : parameters_[i].when) {
      assert(condition.parent < i && parameters_[condition.parent].when.empty());
      is_parent_[condition.parent] = true;
    }
  find_parts();
  std::int64_t all = 1;
  for (const Part& part : parts_) all = times(all, part.points);
  size_ = all < 0 ? std::nullopt : std::optional(all);
}

std::optional<std::size_t> Space::find(std::string_view name) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].name == name) return i;
  return std::nullopt;
}

void Space::find_parts() {
  std::vector<std::size_t> part(parameters_.size());
  std::iota(part.begin(), part.end(), std::size_t{0});
  const auto join = [&part](std::size_t a, std::size_t b) {
    const std::size_t low = std::min(part[a], part[b]);
    const std::size_t high = std::max(part[a], part[b]);
    std::replace(part.begin(), part.end(), high, low);
  };
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    for (const Condition& condition : parameters_[i].when) join(i, condition.parent);
  std::vector<std::size_t> number(parameters_.size(), parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    std::size_t& at = number[part[i]];
    if (at == parameters_.size()) {
      at = parts_.size();
      parts_.emplace_back();
    }
    parts_[at].members.push_back(i);
  }
  for (Part& one : parts_) {
    Point point(dimensions(), kInactive);
    one.points = completions(one, 0, point);
  }
}

/// Enumerates parents only: how many values another parameter may have depends on its parents
/// alone.
std::int64_t Space::completions(const Part& part, std::size_t from, Point& point) const {
  std::int64_t rest = 1;
  for (std::size_t m = from; m < part.members.size(); ++m) {
    const std::size_t i = part.members[m];
    if (!is_parent_[i]) {
      if (active(point, i)) rest = times(rest, countable(parameters_[i].distribution));
      continue;
    }
    std::int64_t sum = 0;
    const double before = point[i];
    for (std::int64_t c = 0; c < count_values(parameters_[i].distribution); ++c) {
      point[i] = static_cast<double>(c);
      sum = plus(sum, completions(part, m + 1, point));
    }
    point[i] = before;
    return times(rest, sum);
  }
  return rest;
}

void Space::set_part(const Part& part, std::int64_t index, Point& point) const {
  for (std::size_t m = 0; m < part.members.size(); ++m) {
    const std::size_t i = part.members[m];
    if (!active(point, i)) continue;
    for (std::int64_t c = 0;; ++c) {
      point[i] = nth_value(parameters_[i].distribution, c);
      const std::int64_t below = completions(part, m + 1, point);
      if (index < below) break;
      index -= below;
    }
  }
}

Point Space::at(std::int64_t index) const {
  assert(size_ && index >= 0 && index < *size_);
  Point point(dimensions(), kInactive);
  for (std::size_t p = parts_.size(); p-- > 0;) {
    set_part(parts_[p], index % parts_[p].points, point);
    index /= parts_[p].points;
  }
  return point;
}

bool Space::active(const Point& point, std::size_t parameter) const {
  const std::vector<Condition>& when = parameters_[parameter].when;
  return when.empty() || std::any_of(when.begin(), when.end(), [&point](const Condition& one) {
           const double choice = point[one.parent];
           return is_active(choice) && one.choices[static_cast<std::size_t>(choice)];
         });
}

Point Space::canonical(Point point) const {
  for (std::size_t i = 0; i < point.size(); ++i)
    if (!active(point, i)) point[i] = kInactive;
  return point;
}

Point Space::draw(const Stream& stream, std::uint64_t first) const {
  Point point(dimensions(), kInactive);
  for (std::size_t i = 0; i < point.size(); ++i)
    if (active(point, i))
      point[i] = value_at(parameters_[i].distribution, stream.uniform(first + i));
  return point;
}

bool Space::holds(const Point& point) const {
  if (point.size() != dimensions()) return false;
  for (std::size_t i = 0; i < point.size(); ++i)
    if (active(point, i) ? !contains(parameters_[i].distribution, point[i]) : is_active(point[i]))
      return false;
  return true;
}

}  // namespace chop::search
