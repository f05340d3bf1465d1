#include "search/best_trials.hpp"

#include <numeric>

namespace chop::search {
namespace {

/// Takes the front off `rest`, which is in lexicographic order: a row is dominated only by rows
/// before it, and if so by one of the front.
std::vector<std::size_t> take_front(const History& history, std::vector<std::size_t>& rest) {
  std::vector<std::size_t> front;
  std::vector<std::size_t> others;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t trial : rest) {
    const std::span<const double> row = history.losses(trial);
    bool dominated = false;
    if (row.size() == 2) {
      const bool equal = !front.empty() && std::ranges::equal(row, history.losses(front.back()));
      dominated = !front.empty() && row[1] >= least && !equal;
    } else {
      dominated = std::any_of(front.rbegin(), front.rend(), [&](std::size_t member) {
        return dominates(history.losses(member), row);
      });
    }
    if (!dominated) least = std::min(least, row.back());
    (dominated ? others : front).push_back(trial);
  }
  rest = std::move(others);
  return front;
}

/// The front's members, those with most room around them first.
void order_by_room(const History& history, std::vector<std::size_t>& front) {
  std::vector<Losses> rows;
  for (const std::size_t trial : front) {
    const auto row = history.losses(trial);
    rows.emplace_back(row.begin(), row.end());
  }
  const std::vector<double> room = crowding_distances(rows);
  std::vector<std::size_t> order(front.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return room[a] > room[b]; });
  for (std::size_t& index : order) index = front[index];
  front = std::move(order);
}

std::vector<std::size_t> best_of_fronts(const History& history, std::size_t count) {
  std::vector<std::size_t> best;
  std::vector<std::size_t> rest(history.ranked().begin(), history.ranked().end());
  while (best.size() < count && !rest.empty()) {
    std::vector<std::size_t> front = take_front(history, rest);
    order_by_room(history, front);
    best.insert(best.end(), front.begin(), front.end());
  }
  return best;
}

/// Farther is better, then the last reported value; NaN and no report are worst.
std::vector<std::size_t> pruned_by_promise(const History& history,
                                           std::span<const SampledTrial> trials) {
  std::vector<std::size_t> pruned(history.pruned().begin(), history.pruned().end());
  const auto key = [&](std::size_t trial) {
    const auto& reports = trials[trial].reports;
    if (reports.empty()) return std::pair(std::int64_t{1}, Losses{0});
    const double value[] = {reports.rbegin()->second};
    return std::pair(-reports.rbegin()->first, losses_of(value, history.directions()));
  };
  std::stable_sort(pruned.begin(), pruned.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return pruned;
}

}  // namespace

std::vector<std::size_t> best_trials(const History& history, std::span<const SampledTrial> trials,
                                     std::size_t count) {
  std::vector<std::size_t> best;
  if (history.directions().size() > 1)
    best = best_of_fronts(history, count);
  else
    best.assign(history.ranked().begin(),
                history.ranked().begin() +
                    static_cast<std::ptrdiff_t>(std::min(count, history.ranked().size())));
  if (best.size() < count) {
    const std::vector<std::size_t> pruned = pruned_by_promise(history, trials);
    best.insert(best.end(), pruned.begin(), pruned.end());
  }
  best.resize(std::min(best.size(), count));
  return best;
}

}  // namespace chop::search
