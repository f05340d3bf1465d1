// Ranks and fronts by binary search over rows in lexicographic order; the hypervolume by slices
// along the last objective. Of the losses (1, 4), (2, 2), (3, 3), (4, 1) front 0 is (1, 4), (2, 2)
// and (4, 1); (3, 3) is in front 1, because (2, 2) dominates it. Up to (5, 5) front 0 covers
//   (5 - 1)(5 - 4) + (5 - 2)(4 - 2) + (5 - 4)(2 - 1) = 11.
#include "search/algorithms/pareto.hpp"

#include <numeric>

namespace chop::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Indices of the rows in the order of their first values, ties by the second and so on.
std::vector<std::size_t> lexicographic_order(std::span<const Losses> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
  return order;
}

/// Two objectives: rows come in lexicographic order, so a front dominates a row exactly when the
/// least second value of the front is not larger. That value grows from front to front: binary
/// search.
std::vector<int> ranks_of_pairs(std::span<const Losses> rows) {
  std::vector<int> ranks(rows.size());
  std::vector<double> least;  // of the second values, by front; ascending
  const Losses* previous = nullptr;
  int rank = 0;
  for (const std::size_t index : lexicographic_order(rows)) {
    const Losses& row = rows[index];
    if (previous == nullptr || row != *previous) {
      const auto front = std::upper_bound(least.begin(), least.end(), row[1]);
      rank = static_cast<int>(front - least.begin());
      if (front == least.end())
        least.push_back(row[1]);
      else
        *front = row[1];
    }
    ranks[index] = rank;
    previous = &row;
  }
  return ranks;
}

/// Any number of objectives (Zhang et al. 2015, ENS-BS): the front of a row is found by a binary
/// search too, but the row is compared with each member of a front.
std::vector<int> ranks_by_search(std::span<const Losses> rows) {
  std::vector<int> ranks(rows.size());
  std::vector<std::vector<std::size_t>> fronts;
  for (const std::size_t index : lexicographic_order(rows)) {
    const auto is_dominated_by = [&](const std::vector<std::size_t>& front) {
      return std::any_of(front.rbegin(), front.rend(),
                         [&](std::size_t member) { return dominates(rows[member], rows[index]); });
    };
    const auto front = std::partition_point(fronts.begin(), fronts.end(), is_dominated_by);
    ranks[index] = static_cast<int>(front - fronts.begin());
    if (front == fronts.end())
      fronts.push_back({index});
    else
      front->push_back(index);
  }
  return ranks;
}

/// Two objectives: the area below a staircase, summed from the left.
double staircase_area(std::vector<Losses> rows, const Losses& reference) {
  std::sort(rows.begin(), rows.end());
  double area = 0;
  double lowest = reference[1];
  for (const Losses& row : rows) {
    if (row[1] >= lowest) continue;
    area += (reference[0] - row[0]) * (lowest - row[1]);
    lowest = row[1];
  }
  return area;
}

/// More objectives: slices along the last one, each with the volume of one dimension less.
double sliced_volume(std::vector<Losses> rows, const Losses& reference) {
  const std::size_t last = reference.size() - 1;
  if (rows.empty()) return 0;
  if (last == 0) return reference[0] - std::min_element(rows.begin(), rows.end())->front();
  if (last == 1) return staircase_area(std::move(rows), reference);
  std::sort(rows.begin(), rows.end(),
            [last](const Losses& a, const Losses& b) { return a[last] < b[last]; });
  const Losses base(reference.begin(), reference.end() - 1);
  std::vector<Losses> below;
  double volume = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Losses shadow(rows[i].begin(), rows[i].end() - 1);
    std::erase_if(below, [&](const Losses& other) { return dominates(shadow, other); });
    below.push_back(std::move(shadow));
    const double top = i + 1 < rows.size() ? rows[i + 1][last] : reference[last];
    if (top > rows[i][last]) volume += (top - rows[i][last]) * sliced_volume(below, base);
  }
  return volume;
}

}  // namespace

Losses losses_of(std::span<const double> values, std::span<const Direction> directions) {
  Losses losses(values.begin(), values.end());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (i < directions.size() && directions[i] == Direction::Maximise) losses[i] = -losses[i];
    if (std::isnan(losses[i])) losses[i] = kInfinity;
  }
  return losses;
}

bool dominates(std::span<const double> a, std::span<const double> b) {
  bool better_somewhere = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    if (a[i] < b[i]) better_somewhere = true;
  }
  return better_somewhere;
}

std::vector<int> nondominated_ranks(std::span<const Losses> rows) {
  if (rows.empty()) return {};
  return rows.front().size() == 2 ? ranks_of_pairs(rows) : ranks_by_search(rows);
}

std::vector<std::size_t> pareto_front(std::span<const Losses> rows) {
  std::vector<std::size_t> front;
  const std::vector<int> ranks = nondominated_ranks(rows);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] == 0) front.push_back(i);
  return front;
}

std::vector<double> crowding_distances(std::span<const Losses> rows) {
  std::vector<double> distances(rows.size(), 0);
  if (rows.empty()) return distances;
  std::vector<std::size_t> order(rows.size());
  for (std::size_t k = 0; k < rows.front().size(); ++k) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rows[a][k] < rows[b][k]; });
    const double width = rows[order.back()][k] - rows[order.front()][k];
    distances[order.front()] = distances[order.back()] = kInfinity;
    if (!(width > 0) || !std::isfinite(width)) continue;
    for (std::size_t i = 1; i + 1 < order.size(); ++i)
      distances[order[i]] += (rows[order[i + 1]][k] - rows[order[i - 1]][k]) / width;
  }
  return distances;
}

double hypervolume(std::span<const Losses> rows, const Losses& reference) {
  std::vector<Losses> inside;
  for (const Losses& row : rows) {
    bool below = true;
    for (std::size_t i = 0; i < row.size(); ++i) below = below && row[i] < reference[i];
    if (below) inside.push_back(row);
  }
  return sliced_volume(std::move(inside), reference);
}

}  // namespace chop::search
