#include "search/algorithms/history.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <utility>

namespace chop::search {
namespace {

void insert_in_order(std::vector<std::size_t>& places, std::size_t place) {
  places.insert(std::upper_bound(places.begin(), places.end(), place), place);
}

}  // namespace

std::size_t PointHash::operator()(const Point& point) const {
  std::uint64_t hash = point.size();
  for (const double value : point)
    hash = mix64(hash ^ (is_active(value) ? std::bit_cast<std::uint64_t>(value + 0.0) : 1));
  return hash;
}

bool History::continues(std::span<const SeenTrial> trials) const {
  if (seen_ == 0) return true;
  return trials.size() >= seen_ && trials[seen_ - 1].number == last_number_ &&
         (last_point_.empty() || same_point(trials[seen_ - 1].point, last_point_));
}

bool History::follow(std::span<const SeenTrial> trials) {
  const bool goes_on = continues(trials);
  if (!goes_on) *this = History(std::move(directions_));
  arrived_.clear();
  std::erase_if(under_way_, [&](std::size_t place) {
    if (!is_finished(trials[place].state)) return false;
    finish(trials[place], place);
    return true;
  });
  losses_.resize(trials.size() * directions_.size());
  const std::vector<std::size_t> unknown = std::exchange(pointless_, {});
  for (const std::size_t place : unknown) take(trials[place], place);
  for (; seen_ < trials.size(); ++seen_) take(trials[seen_], seen_);
  if (!trials.empty()) {
    last_number_ = trials.back().number;
    last_point_ = trials.back().point;
  }
  return goes_on;
}

void History::take(const SeenTrial& trial, std::size_t place) {
  if (trial.point.empty()) {
    if (!is_finished(trial.state)) pointless_.push_back(place);
    return;
  }
  arrived_.push_back(place);
  PointRecord& record = records_[trial.point];
  if (!record.is_settled()) ++settled_;
  ++record.under_way;
  if (is_finished(trial.state))
    finish(trial, place);
  else
    insert_in_order(under_way_, place);
}

void History::finish(const SeenTrial& trial, std::size_t place) {
  PointRecord& record = records_[trial.point];
  --record.under_way;
  ++(trial.state == TrialState::Fail ? record.failed : record.finished);
  if (!record.is_settled()) --settled_;
  if (trial.state == TrialState::Fail) insert_in_order(failed_, place);
  if (trial.state == TrialState::Pruned) insert_in_order(pruned_, place);
  if (trial.state != TrialState::Complete) return;
  record.complete = std::min(place, record.complete.value_or(place));
  const Losses row = losses_of(trial.values, directions_);
  std::copy(row.begin(), row.end(),
            losses_.begin() + static_cast<std::ptrdiff_t>(place * directions_.size()));
  const auto before = [this](std::size_t a, std::size_t b) {
    const auto x = losses(a);
    const auto y = losses(b);
    const auto order =
        std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
    return std::is_eq(order) ? a < b : std::is_lt(order);
  };
  ranked_.insert(std::upper_bound(ranked_.begin(), ranked_.end(), place, before), place);
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
