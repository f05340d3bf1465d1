// Rows are translated to the ideal point and scaled by the intercepts of the plane through the
// extreme points (Deb and Jain 2014); each then belongs to the nearest line.
#include "search/algorithms/reference_lines.hpp"

namespace chop::search {
namespace {

void share_out(int left, std::size_t at, int divisions, Losses& weights,
               std::vector<Losses>& found) {
  if (at + 1 == weights.size()) {
    weights[at] = static_cast<double>(left) / divisions;
    found.push_back(weights);
    return;
  }
  for (int part = 0; part <= left; ++part) {
    weights[at] = static_cast<double>(part) / divisions;
    share_out(left - part, at + 1, divisions, weights, found);
  }
}

bool is_finite(const Losses& row) {
  return std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
}

/// The extreme point of each axis: the row nearest to it by the achievement scalarising function.
std::vector<Losses> extreme_rows(const std::vector<Losses>& rows) {
  std::vector<Losses> extremes;
  for (std::size_t axis = 0; axis < rows.front().size(); ++axis) {
    const auto away = [axis](const Losses& row) {
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < row.size(); ++i)
        most = std::max(most, row[i] / (i == axis ? 1 : 1e-6));
      return most;
    };
    extremes.push_back(
        *std::min_element(rows.begin(), rows.end(),
                          [&](const Losses& a, const Losses& b) { return away(a) < away(b); }));
  }
  return extremes;
}

/// x with rows · x = 1, by elimination; nothing when there is none.
std::optional<Losses> solve_for_ones(std::vector<Losses> rows) {
  const std::size_t size = rows.size();
  for (Losses& row : rows) row.push_back(1);
  for (std::size_t column = 0; column < size; ++column) {
    const auto pivot = std::max_element(rows.begin() + static_cast<std::ptrdiff_t>(column),
                                        rows.end(), [column](const Losses& a, const Losses& b) {
                                          return std::abs(a[column]) < std::abs(b[column]);
                                        });
    if (!(std::abs((*pivot)[column]) > 1e-12)) return std::nullopt;
    std::swap(*pivot, rows[column]);
    for (std::size_t i = 0; i < size; ++i) {
      if (i == column) continue;
      const double factor = rows[i][column] / rows[column][column];
      for (std::size_t k = column; k <= size; ++k) rows[i][k] -= factor * rows[column][k];
    }
  }
  Losses solution(size);
  for (std::size_t i = 0; i < size; ++i) solution[i] = rows[i][size] / rows[i][i];
  return solution;
}

/// The intercepts: what becomes 1 on each axis, for rows translated to the ideal point.
Losses lengths_of_axes(const std::vector<Losses>& first_front) {
  Losses worst(first_front.front().size(), 0);
  for (const Losses& row : first_front)
    for (std::size_t i = 0; i < row.size(); ++i) worst[i] = std::max(worst[i], row[i]);
  if (const auto plane = solve_for_ones(extreme_rows(first_front))) {
    Losses lengths = *plane;
    for (double& length : lengths) length = 1 / length;
    const bool sane = std::all_of(lengths.begin(), lengths.end(), [](double length) {
      return length > 1e-9 && std::isfinite(length);
    });
    if (sane) return lengths;
  }
  for (double& length : worst) length = length > 0 ? length : 1;
  return worst;
}

}  // namespace

std::vector<Losses> reference_weights(std::size_t objectives, int divisions) {
  std::vector<Losses> found;
  Losses weights(objectives);
  share_out(divisions, 0, divisions, weights, found);
  return found;
}

double count_lines(std::size_t objectives, int divisions) {
  // C(objectives - 1 + divisions, divisions)
  double count = 1;
  for (int i = 1; i <= divisions; ++i) count *= (static_cast<double>(objectives) - 1 + i) / i;
  return count;
}

int enough_divisions(std::size_t objectives, std::size_t lines) {
  int divisions = 1;
  while (objectives > 1 && count_lines(objectives, divisions) < static_cast<double>(lines) - 0.5)
    ++divisions;
  return divisions;
}

std::vector<Losses> normalised(std::span<const Losses> rows, std::span<const int> ranks) {
  std::vector<Losses> moved(rows.begin(), rows.end());
  Losses ideal(rows.front().size(), std::numeric_limits<double>::infinity());
  for (const Losses& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) ideal[i] = std::min(ideal[i], row[i]);
  for (double& value : ideal) value = std::isfinite(value) ? value : 0;
  std::vector<Losses> first_front;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    for (std::size_t i = 0; i < ideal.size(); ++i) moved[k][i] -= ideal[i];
    if (ranks[k] == 0 && is_finite(moved[k])) first_front.push_back(moved[k]);
  }
  const Losses lengths =
      first_front.empty() ? Losses(ideal.size(), 1) : lengths_of_axes(first_front);
  for (Losses& row : moved)
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = std::isfinite(row[i]) ? row[i] / lengths[i] : 1e9;
  return moved;
}

Nearest nearest_line(const Losses& row, std::span<const Losses> weights) {
  Nearest nearest{.distance = std::numeric_limits<double>::infinity()};
  for (std::size_t line = 0; line < weights.size(); ++line) {
    double along = 0;
    double length = 0;
    double whole = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      along += row[i] * weights[line][i];
      length += weights[line][i] * weights[line][i];
      whole += row[i] * row[i];
    }
    const double distance = std::sqrt(std::max(0.0, whole - along * along / length));
    if (distance < nearest.distance) nearest = {.line = line, .distance = distance};
  }
  return nearest;
}

}  // namespace chop::search
