// Trials are read once when they are new and once more when they finish; a study that is not the
// one read before starts the history again.
#include "search/algorithms/history.hpp"

#include <bit>
#include <compare>

namespace chop::search {
namespace {

void insert_in_order(std::vector<std::size_t>& indices, std::size_t index) {
  indices.insert(std::upper_bound(indices.begin(), indices.end(), index), index);
}

}  // namespace

std::size_t PointHash::operator()(const Point& point) const {
  std::uint64_t hash = point.size();
  for (const double value : point)
    hash = mix64(hash ^ (is_active(value) ? std::bit_cast<std::uint64_t>(value + 0.0) : 1));
  return hash;
}

bool History::continues(std::span<const SampledTrial> trials) const {
  if (taken_ == 0) return true;
  return trials.size() >= taken_ && trials[taken_ - 1].number == last_number_ &&
         (last_point_.empty() || same_point(trials[taken_ - 1].point, last_point_));
}

bool History::follow(std::span<const SampledTrial> trials) {
  const bool goes_on = continues(trials);
  if (!goes_on) *this = History(std::move(directions_));
  arrived_.clear();
  std::erase_if(under_way_, [&](std::size_t index) {
    if (!is_finished(trials[index].state)) return false;
    finish(trials[index], index);
    return true;
  });
  losses_.resize(trials.size() * directions_.size());
  const std::vector<std::size_t> unknown = std::exchange(without_point_, {});
  for (const std::size_t index : unknown) take(trials[index], index);
  for (; taken_ < trials.size(); ++taken_) take(trials[taken_], taken_);
  if (!trials.empty()) {
    last_number_ = trials.back().number;
    last_point_ = trials.back().point;
  }
  return goes_on;
}

void History::take(const SampledTrial& trial, std::size_t index) {
  if (trial.point.empty()) {
    if (!is_finished(trial.state)) without_point_.push_back(index);
    return;
  }
  arrived_.push_back(index);
  PointRecord& record = records_[trial.point];
  if (!record.is_settled()) ++settled_;
  ++record.under_way;
  if (is_finished(trial.state))
    finish(trial, index);
  else
    insert_in_order(under_way_, index);
}

void History::finish(const SampledTrial& trial, std::size_t index) {
  PointRecord& record = records_[trial.point];
  --record.under_way;
  ++(trial.state == TrialState::Fail ? record.failed : record.finished);
  if (!record.is_settled()) --settled_;
  if (trial.state == TrialState::Fail) insert_in_order(failed_, index);
  if (trial.state == TrialState::Pruned) insert_in_order(pruned_, index);
  if (trial.state != TrialState::Complete) return;
  record.complete = std::min(index, record.complete.value_or(index));
  const Losses row = losses_of(trial.values, directions_);
  std::copy(row.begin(), row.end(),
            losses_.begin() + static_cast<std::ptrdiff_t>(index * directions_.size()));
  const auto before = [this](std::size_t a, std::size_t b) {
    const auto x = losses(a);
    const auto y = losses(b);
    const auto order =
        std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
    return std::is_eq(order) ? a < b : std::is_lt(order);
  };
  ranked_.insert(std::upper_bound(ranked_.begin(), ranked_.end(), index, before), index);
}

const PointRecord* History::find(const Point& point) const {
  const auto found = records_.find(point);
  return found == records_.end() ? nullptr : &found->second;
}

bool History::is_settled(const Point& point) const {
  const PointRecord* record = find(point);
  return record != nullptr && record->is_settled();
}

Proposal nothing_new(const History& history) {
  const bool waits = !history.under_way().empty();
  return {.kind = waits ? Proposal::Kind::Wait : Proposal::Kind::Done};
}

}  // namespace chop::search
