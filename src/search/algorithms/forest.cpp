// Grows a tree on a bootstrap sample: every box is split at the column and value that reduce the
// squared deviations most, until its values are equal.
#include "search/algorithms/forest.hpp"

namespace chop::search {
namespace {

/// Trees from larger samples grow larger without changing the importances.
constexpr std::size_t kMostSamples = 1000;
constexpr int kDeepest = 64;

struct TreeSplit {
  std::size_t column = 0;
  double at = 0;  ///< numbers below it, or points with this choice, go to the first side
  double gain = 0;
};

class Grower {
 public:
  Grower(std::span<const Column> columns, std::span<const double> values, const Stream& stream)
      : columns_(columns), values_(values), stream_(stream) {}

  std::vector<LeafBox> grow() {
    const std::size_t count = std::min(values_.size(), kMostSamples);
    for (std::size_t i = 0; i < count; ++i) sample_.push_back(stream_.below(i, values_.size()));
    next_ = count;
    std::vector<Side> sides(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i)
      sides[i].choices.assign(columns_[i].shares.size(), true);
    grow_below(0, sample_.size(), std::move(sides), 0);
    return std::move(leaves_);
  }

 private:
  void grow_below(std::size_t begin, std::size_t end, std::vector<Side> sides, int depth);
  std::optional<TreeSplit> best_split(std::size_t begin, std::size_t end);
  void split_numbers(std::size_t column, std::size_t begin, std::size_t end, TreeSplit& best);
  void split_choices(std::size_t column, std::size_t begin, std::size_t end, TreeSplit& best) const;

  std::span<const Column> columns_;
  std::span<const double> values_;
  Stream stream_;
  std::uint64_t next_ = 0;
  std::vector<std::size_t> sample_;
  std::vector<std::pair<double, double>> sorted_;
  std::vector<LeafBox> leaves_;
};

/// How much splitting into two groups with these sums reduces the sum of squared deviations, up to
/// a constant.
double gain_of(double sum, double count, double other_sum, double other_count) {
  return sum * sum / count + other_sum * other_sum / other_count;
}

void Grower::split_numbers(std::size_t column, std::size_t begin, std::size_t end,
                           TreeSplit& best) {
  sorted_.clear();
  double total = 0;
  for (std::size_t i = begin; i < end; ++i) {
    sorted_.emplace_back(columns_[column].values[sample_[i]], values_[sample_[i]]);
    total += values_[sample_[i]];
  }
  std::sort(sorted_.begin(), sorted_.end());
  double sum = 0;
  for (std::size_t i = 1; i < sorted_.size(); ++i) {
    sum += sorted_[i - 1].second;
    if (sorted_[i].first == sorted_[i - 1].first) continue;
    const double gain =
        gain_of(sum, static_cast<double>(i), total - sum, static_cast<double>(sorted_.size() - i));
    if (!(gain > best.gain)) continue;
    // There may be no double between two neighbours; then the threshold is the upper one.
    const double middle = (sorted_[i].first + sorted_[i - 1].first) / 2;
    best = {.column = column,
            .at = middle > sorted_[i - 1].first ? middle : sorted_[i].first,
            .gain = gain};
  }
}

void Grower::split_choices(std::size_t column, std::size_t begin, std::size_t end,
                           TreeSplit& best) const {
  const std::size_t choices = columns_[column].shares.size();
  std::vector<double> sums(choices);
  std::vector<double> counts(choices);
  double total = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const auto choice = static_cast<std::size_t>(columns_[column].values[sample_[i]]);
    sums[choice] += values_[sample_[i]];
    counts[choice] += 1;
    total += values_[sample_[i]];
  }
  const auto count = static_cast<double>(end - begin);
  for (std::size_t choice = 0; choice < choices; ++choice) {
    if (counts[choice] == 0 || counts[choice] == count) continue;
    const double gain =
        gain_of(sums[choice], counts[choice], total - sums[choice], count - counts[choice]);
    if (gain > best.gain)
      best = {.column = column, .at = static_cast<double>(choice), .gain = gain};
  }
}

std::optional<TreeSplit> Grower::best_split(std::size_t begin, std::size_t end) {
  double sum = 0;
  double least = values_[sample_[begin]];
  double most = least;
  for (std::size_t i = begin; i < end; ++i) {
    const double value = values_[sample_[i]];
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (!(most > least)) return std::nullopt;
  const double none = sum * sum / static_cast<double>(end - begin);
  TreeSplit best{.gain = none * (1 + 1e-12)};
  // From a random column on, so that none of several equally good columns is preferred.
  const std::size_t first = stream_.below(next_++, columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t column = (first + i) % columns_.size();
    if (columns_[column].is_number())
      split_numbers(column, begin, end, best);
    else
      split_choices(column, begin, end, best);
  }
  if (!(best.gain > none * (1 + 1e-12))) return std::nullopt;
  return best;
}

void Grower::grow_below(std::size_t begin, std::size_t end, std::vector<Side> sides, int depth) {
  const auto split = depth < kDeepest ? best_split(begin, end) : std::nullopt;
  if (!split) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += values_[sample_[i]];
    leaves_.push_back({.sides = std::move(sides), .value = sum / static_cast<double>(end - begin)});
    return;
  }
  const Column& column = columns_[split->column];
  const auto goes_first = [&](std::size_t point) {
    const double value = column.values[point];
    return column.is_number() ? value < split->at : value == split->at;
  };
  const auto at = static_cast<std::ptrdiff_t>(begin);
  const auto middle = std::partition(
      sample_.begin() + at, sample_.begin() + static_cast<std::ptrdiff_t>(end), goes_first);
  const auto half = static_cast<std::size_t>(middle - sample_.begin());
  std::vector<Side> second = sides;
  if (column.is_number()) {
    sides[split->column].high = split->at;
    second[split->column].low = split->at;
  } else {
    const auto choice = static_cast<std::size_t>(split->at);
    std::vector<bool>& kept = sides[split->column].choices;
    std::fill(kept.begin(), kept.end(), false);
    kept[choice] = true;
    second[split->column].choices[choice] = false;
  }
  grow_below(begin, half, std::move(sides), depth + 1);
  grow_below(half, end, std::move(second), depth + 1);
}

}  // namespace

std::vector<Column> columns_of(const Space& space, std::span<const Point> points) {
  std::vector<Column> columns(space.dimensions());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Distribution& distribution = space.parameters()[i].distribution;
    const auto absent = static_cast<double>(std::count_if(
        points.begin(), points.end(), [i](const Point& point) { return !is_active(point[i]); }));
    const double share = absent / static_cast<double>(std::max<std::size_t>(1, points.size()));
    const bool choices = distribution.kind == Distribution::Kind::Categorical;
    const std::size_t count = distribution.choices.size();
    if (choices) columns[i].shares.assign(count, (1 - share) / static_cast<double>(count));
    if (choices && absent > 0) columns[i].shares.push_back(share);
    const double range = distribution.high - distribution.low;
    for (const Point& point : points) {
      double value = point[i];
      if (choices)
        value = is_active(value) ? value : static_cast<double>(count);
      else if (is_active(value))
        value = share + (1 - share) * (range > 0 ? (value - distribution.low) / range : 0.5);
      else
        value = 0;
      columns[i].values.push_back(value);
    }
  }
  return columns;
}

std::vector<LeafBox> grow_tree(std::span<const Column> columns, std::span<const double> values,
                               const Stream& stream) {
  return Grower(columns, values, stream).grow();
}

}  // namespace chop::search
