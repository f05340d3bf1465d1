// What samplers ask of a study's past, kept from call to call: each trial is looked at when it is
// new and when it has finished, so that a proposal's cost does not grow with the study.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "search/algorithms/pareto.hpp"
#include "search/algorithms/sampler_def.hpp"

namespace chop::search {

struct PointHash {
  std::size_t operator()(const Point& point) const;
};
struct PointEqual {
  bool operator()(const Point& a, const Point& b) const { return same_point(a, b); }
};

/// How often a point was tried, by what became of it.
struct PointRecord {
  int under_way = 0;
  int finished = 0;  ///< complete or pruned
  int failed = 0;
  std::optional<std::size_t> complete = {};  ///< place of the first trial that is

  /// Leaves no reason to try the point: a failure may have been an accident, two are not.
  bool is_settled() const { return finished > 0 || under_way > 0 || failed >= 2; }
};

class History {
 public:
  explicit History(std::vector<Direction> directions) : directions_(std::move(directions)) {}

  /// Takes in what is new. Trials that do not go on from those of the last call begin a new past;
  /// then the answer is false.
  bool follow(std::span<const SeenTrial> trials);

  const std::vector<Direction>& directions() const { return directions_; }
  const PointRecord* find(const Point& point) const;
  bool is_settled(const Point& point) const;
  /// Points that leave no reason to be tried.
  std::int64_t settled() const { return settled_; }
  /// Places in the trials of those not finished; of this space, like all below.
  std::span<const std::size_t> under_way() const { return under_way_; }
  std::span<const std::size_t> pruned() const { return pruned_; }
  std::span<const std::size_t> failed() const { return failed_; }
  /// Places whose points the last call of follow() saw for the first time.
  std::span<const std::size_t> arrived() const { return arrived_; }

  /// Places of complete trials from best to worst in the first objective, ties by the next ones
  /// and then by number.
  std::span<const std::size_t> ranked() const { return ranked_; }
  /// Values of a complete trial to be minimised.
  std::span<const double> losses(std::size_t place) const {
    return std::span(losses_).subspan(place * directions_.size(), directions_.size());
  }

 private:
  bool continues(std::span<const SeenTrial> trials) const;
  void take(const SeenTrial& trial, std::size_t place);
  void finish(const SeenTrial& trial, std::size_t place);

  std::vector<Direction> directions_;
  std::unordered_map<Point, PointRecord, PointHash, PointEqual> records_;
  std::vector<std::size_t> under_way_;
  std::vector<std::size_t> pointless_;  ///< unfinished, and their points are not known yet
  std::vector<std::size_t> arrived_;
  std::vector<std::size_t> pruned_;
  std::vector<std::size_t> failed_;
  std::vector<std::size_t> ranked_;
  std::vector<double> losses_;  ///< of all places, a row each
  std::size_t seen_ = 0;
  std::int64_t settled_ = 0;
  std::int64_t last_number_ = -1;
  Point last_point_;
};

/// What a sampler that never repeats a point says when it has none left: a running trial may
/// still fail and be worth another try.
Proposal nothing_new(const History& history);

}  // namespace chop::search
