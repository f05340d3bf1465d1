// The finished and running trials of a study, indexed for samplers and updated from call to call:
// each trial is read when it is new and again when it has finished, so that the cost of a proposal
// does not grow with the study.
#pragma once

#include <unordered_map>

#include "search/algorithms/pareto.hpp"
#include "search/algorithms/sampler_def.hpp"

namespace chop::search {

struct PointHash {
  std::size_t operator()(const Point& point) const;
};
struct PointEqual {
  bool operator()(const Point& a, const Point& b) const { return same_point(a, b); }
};

/// How often a point was tried, by outcome.
struct PointRecord {
  int under_way = 0;
  int finished = 0;  ///< complete or pruned
  int failed = 0;
  std::optional<std::size_t> complete = {};  ///< index of the first complete trial

  /// There is no reason to try the point again. One failure may have been an accident, so a point
  /// that failed once is tried again.
  bool is_settled() const { return finished > 0 || under_way > 0 || failed >= 2; }
};

class History {
 public:
  explicit History(std::vector<Direction> directions) : directions_(std::move(directions)) {}

  /// Reads what is new. False when `trials` do not continue those of the last call; then the
  /// history starts afresh with them.
  bool follow(std::span<const SampledTrial> trials);

  const std::vector<Direction>& directions() const { return directions_; }
  const PointRecord* find(const Point& point) const;
  bool is_settled(const Point& point) const;
  /// How many points are settled.
  std::int64_t settled() const { return settled_; }
  /// Indices of unfinished trials. Like all lists below, without trials of other spaces.
  std::span<const std::size_t> under_way() const { return under_way_; }
  std::span<const std::size_t> pruned() const { return pruned_; }
  std::span<const std::size_t> failed() const { return failed_; }
  /// Indices of trials whose points were new in the last call of follow().
  std::span<const std::size_t> arrived() const { return arrived_; }

  /// Indices of complete trials from best to worst in the first objective, ties by the next ones
  /// and then by number.
  std::span<const std::size_t> ranked() const { return ranked_; }
  /// Values of a complete trial to be minimised.
  std::span<const double> losses(std::size_t index) const {
    return std::span(losses_).subspan(index * directions_.size(), directions_.size());
  }

 private:
  bool continues(std::span<const SampledTrial> trials) const;
  void take(const SampledTrial& trial, std::size_t index);
  void finish(const SampledTrial& trial, std::size_t index);

  std::vector<Direction> directions_;
  std::unordered_map<Point, PointRecord, PointHash, PointEqual> records_;
  std::vector<std::size_t> under_way_;
  std::vector<std::size_t> without_point_;  ///< unfinished trials whose points are not known yet
  std::vector<std::size_t> arrived_;
  std::vector<std::size_t> pruned_;
  std::vector<std::size_t> failed_;
  std::vector<std::size_t> ranked_;
  std::vector<double> losses_;  ///< a row for each trial
  std::size_t taken_ = 0;       ///< trials read so far
  std::int64_t settled_ = 0;
  std::int64_t last_number_ = -1;
  Point last_point_;
};

/// The proposal of a sampler that never repeats a point and has none left: to wait while trials are
/// running, because one may fail and be tried again.
Proposal nothing_new(const History& history);

}  // namespace chop::search
