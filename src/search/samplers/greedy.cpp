// Greedy descent by sensitivity: measure what each narrower choice costs, then take the best moves.
//
//   1. The baseline: every parameter at its largest number (its first choice if there are others).
//   2. Every parameter alone at each of its other values: what that saves and what it loses.
//   3. From the baseline, repeatedly: the move that saves most for what it loses. It is kept if the
//      quality stays within `tolerance` of the baseline's; otherwise it is discarded.
//
// Example, two layers with widths 8 and 4: trial 0 is (8, 8); trials 1 and 2 are (4, 8) and (8, 4).
// If the second loses less accuracy, (8, 4) is kept and trial 3 is (4, 4).
//
// The sampler keeps no state: each call replays these steps over the trials and proposes the first
// point whose result is missing.
#include "search/algorithms/history.hpp"
#include "support/text.hpp"

namespace chop::search::samplers::greedy {
namespace {

struct Measured {
  double quality = 0;
  double cost = 0;
};

/// Setting one parameter to another value, with its effect on the baseline.
struct Move {
  std::size_t parameter = 0;
  double value = 0;
  double saving = 0;
  double loss = 0;
};

class GreedySampler : public Sampler {
 public:
  GreedySampler(const SamplerContext& context, double tolerance)
      : space_(context.space),
        metrics_(context.metrics),
        tolerance_(tolerance),
        history_(context.directions) {}

  Result<Proposal> propose(std::span<const SampledTrial> trials, std::int64_t) override;

 private:
  double number_of(std::size_t parameter, double value) const;
  double largest(std::size_t parameter) const;
  Point moved(Point point, std::size_t parameter, double value) const;
  std::vector<Move> all_moves(const Point& baseline) const;
  std::optional<Proposal> missing(const Point& point) const;
  std::optional<Measured> measured(std::span<const SampledTrial> trials, const Point& point) const;
  double cost_of(const SampledTrial& trial) const;
  double quality_of(const SampledTrial& trial) const;
  Proposal walk_down(std::span<const SampledTrial> trials, Point at, std::vector<Move> moves) const;

  const Space& space_;
  std::vector<ObjectiveMetric> metrics_;
  double tolerance_;
  History history_;
};

/// NaN: the value is not a number.
double GreedySampler::number_of(std::size_t parameter, double value) const {
  const Tree shown = to_external(space_.parameters()[parameter].distribution, value);
  if (const auto* integer = shown.as_integer()) return static_cast<double>(*integer);
  return shown.as_real() != nullptr ? *shown.as_real() : std::nan("");
}

double GreedySampler::largest(std::size_t parameter) const {
  const Distribution& distribution = space_.parameters()[parameter].distribution;
  double best = nth_value(distribution, 0);
  for (std::int64_t i = 0; i < count_values(distribution); ++i) {
    const double number = number_of(parameter, nth_value(distribution, i));
    if (std::isnan(number)) return nth_value(distribution, 0);
    if (number > number_of(parameter, best)) best = nth_value(distribution, i);
  }
  return best;
}

/// The point with one value changed; parameters that become active get their largest value.
Point GreedySampler::moved(Point point, std::size_t parameter, double value) const {
  point[parameter] = value;
  point = space_.canonical(std::move(point));
  for (std::size_t i = 0; i < point.size(); ++i)
    if (!is_active(point[i]) && space_.active(point, i)) point[i] = largest(i);
  return point;
}

std::vector<Move> GreedySampler::all_moves(const Point& baseline) const {
  std::vector<Move> moves;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    if (!is_active(baseline[i])) continue;
    const Distribution& distribution = space_.parameters()[i].distribution;
    for (std::int64_t k = 0; k < count_values(distribution); ++k) {
      const double value = nth_value(distribution, k);
      if (value != baseline[i]) moves.push_back({.parameter = i, .value = value});
    }
  }
  return moves;
}

/// The proposal for a point whose result is needed; nothing if the result is known or never will
/// be.
std::optional<Proposal> GreedySampler::missing(const Point& point) const {
  const PointRecord* record = history_.find(point);
  if (record == nullptr || !record->is_settled()) return Proposal{.point = point};
  if (record->finished > 0 || record->under_way == 0) return std::nullopt;
  return Proposal{.kind = Proposal::Kind::Wait};
}

/// Nothing: the trial was pruned, or failed twice.
std::optional<Measured> GreedySampler::measured(std::span<const SampledTrial> trials,
                                                const Point& point) const {
  const PointRecord* record = history_.find(point);
  if (record == nullptr || !record->complete) return std::nullopt;
  const SampledTrial& trial = trials[*record->complete];
  const Measured found{.quality = quality_of(trial), .cost = cost_of(trial)};
  if (std::isnan(found.quality) || std::isnan(found.cost)) return std::nullopt;
  return found;
}

/// The scaled sum of metrics of one kind, more being better; nothing if there are none.
std::optional<double> summed(const std::vector<ObjectiveMetric>& metrics, const SampledTrial& trial,
                             bool hardware) {
  std::optional<double> sum;
  for (const ObjectiveMetric& metric : metrics) {
    if (metric.hardware != hardware) continue;
    const auto value = trial.metrics.find(metric.name);
    const double scaled =
        metric.scale * (value == trial.metrics.end() ? std::nan("") : value->second);
    sum = sum.value_or(0) + (metric.direction == Direction::Maximise ? scaled : -scaled);
  }
  return sum;
}

/// Without hardware metrics the cost is the sum of the chosen numbers.
double GreedySampler::cost_of(const SampledTrial& trial) const {
  if (const auto sum = summed(metrics_, trial, /*hardware=*/true)) return -*sum;
  double cost = 0;
  for (std::size_t i = 0; i < trial.point.size(); ++i) {
    const double number = is_active(trial.point[i]) ? number_of(i, trial.point[i]) : 0;
    if (!std::isnan(number)) cost += number;
  }
  return cost;
}

double GreedySampler::quality_of(const SampledTrial& trial) const {
  if (const auto sum = summed(metrics_, trial, /*hardware=*/false)) return *sum;
  double quality = 0;
  for (const double loss : losses_of(trial.values, history_.directions())) quality -= loss;
  return quality;
}

/// Larger is better: moves without loss of quality come first, and among them the largest saving.
bool is_better_move(const Move& a, const Move& b) {
  if ((a.loss <= 0) != (b.loss <= 0)) return a.loss <= 0;
  if (a.loss <= 0) return a.saving > b.saving;
  return a.saving * b.loss > b.saving * a.loss;
}

Proposal GreedySampler::walk_down(std::span<const SampledTrial> trials, Point at,
                                  std::vector<Move> moves) const {
  const double enough = measured(trials, at)->quality - tolerance_;
  std::vector<Move> taken(space_.dimensions());  // the last accepted move of each parameter
  while (true) {
    const Move* best = nullptr;
    Move best_step;
    for (const Move& move : moves) {
      // From the current value of the parameter, not from the baseline.
      const Move& now = taken[move.parameter];
      Move step = move;
      step.saving -= now.saving;
      step.loss -= now.loss;
      if (step.saving <= 0 || !space_.active(at, move.parameter)) continue;
      if (best != nullptr && !is_better_move(step, best_step)) continue;
      best = &move;
      best_step = step;
    }
    if (best == nullptr) return nothing_new(history_);
    const Point next = moved(at, best->parameter, best->value);
    if (const auto proposal = missing(next)) return *proposal;
    const auto result = measured(trials, next);
    const bool holds =
        result && result->quality >= enough && result->cost < measured(trials, at)->cost;
    if (holds) {
      at = next;
      taken[best->parameter] = *best;
    }
    moves.erase(moves.begin() + (best - moves.data()));
  }
}

Result<Proposal> GreedySampler::propose(std::span<const SampledTrial> trials, std::int64_t) {
  history_.follow(trials);
  Point baseline(space_.dimensions(), kInactive);
  for (std::size_t i = 0; i < baseline.size(); ++i)
    if (space_.active(baseline, i)) baseline[i] = largest(i);
  std::vector<Move> moves = all_moves(baseline);
  // Points of this stage do not depend on each other: all are started before any is waited for.
  std::optional<Proposal> first = missing(baseline);
  for (const Move& move : moves) {
    if (first && first->kind == Proposal::Kind::Try) return *first;
    const auto proposal = missing(moved(baseline, move.parameter, move.value));
    if (proposal && (!first || proposal->kind == Proposal::Kind::Try)) first = proposal;
  }
  if (first) return *first;
  const auto origin = measured(trials, baseline);
  if (!origin)
    return Error{.what = "the trial all others are compared with has no result",
                 .hint = "it has every parameter at its largest number; does that work?"};
  std::erase_if(moves, [&](Move& move) {
    const auto alone = measured(trials, moved(baseline, move.parameter, move.value));
    if (!alone) return true;
    move.saving = origin->cost - alone->cost;
    move.loss = origin->quality - alone->quality;
    return move.saving <= 0 || move.loss > tolerance_;
  });
  return walk_down(trials, std::move(baseline), std::move(moves));
}

Result<std::unique_ptr<Sampler>> make(const SamplerContext& context, const Args& args) {
  constexpr std::int64_t kMostValues = 1000;  // each is a trial of its own
  for (const SpaceParameter& parameter : context.space.parameters())
    if (const std::int64_t count = count_values(parameter.distribution);
        count == 0 || count > kMostValues)
      return Error{.what = cat("'", parameter.name, "' has ", count == 0 ? "no end of" : "too many",
                               " values to go down through"),
                   .hint = "give it a (larger) step, or take another sampler"};
  return std::unique_ptr<Sampler>(std::make_unique<GreedySampler>(context, args.real("tolerance")));
}

}  // namespace

SamplerDef define() {
  return {.name = "greedy",
          .doc = "measures every parameter alone, then takes the cheapest values that keep quality",
          .details = "starts from the largest numbers; ends when no move is left",
          .reproducible = "for any number of workers",
          .args = {{.name = "tolerance",
                    .initial = 0.01,
                    .doc = "how far the quality may fall below the baseline's, absolute",
                    .bounds = {.least = 0}}},
          // Spaces may have more points than 64 bits count; make() refuses ranges without steps.
          .continuous = true,
          .make = make};
}

}  // namespace chop::search::samplers::greedy
