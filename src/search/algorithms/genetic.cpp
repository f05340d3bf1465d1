// Tournament selection, simulated binary crossover and polynomial mutation make children; once a
// generation has finished, `survive_` picks the parents of the next one.
#include "search/algorithms/genetic.hpp"

#include "search/algorithms/spread.hpp"

namespace chop::search {
namespace {

/// Numbers with more values than this are blended and shifted; with fewer they are exchanged like
/// choices.
constexpr std::int64_t kMostExchanged = 16;
/// How often a child that was tried already is made again.
constexpr int kMostAttempts = 16;

bool is_exchanged(const Axis& axis) {
  return !axis.is_line() || (axis.count() > 0 && axis.count() <= kMostExchanged);
}

/// Bounded simulated binary crossover (Deb and Agrawal 1995): the distance of a child from the
/// midpoint of its parents, in units of half their distance, when `room` is left on that side.
double spread_factor(double u, double room, double index) {
  const double alpha = 2 - std::pow(1 + 2 * room, -(index + 1));
  const double base = u <= 1 / alpha ? u * alpha : 1 / (2 - u * alpha);
  return std::pow(base, 1 / (index + 1));
}

/// Polynomial mutation (Deb and Goyal 1996) of a position in [0, 1].
double shifted(double position, double u, double index) {
  const double power = index + 1;
  if (u < 0.5) {
    const double base = 2 * u + (1 - 2 * u) * std::pow(1 - position, power);
    return std::clamp(position + std::pow(base, 1 / power) - 1, 0.0, 1.0);
  }
  const double base = 2 * (1 - u) + (2 * u - 1) * std::pow(position, power);
  return std::clamp(position + 1 - std::pow(base, 1 / power), 0.0, 1.0);
}

}  // namespace

std::vector<Field> genetic_args() {
  return {{.name = "population_size",
           .initial = 50,
           .doc = "trials of a generation, and parents of the next",
           .bounds = {.least = 2}},
          {.name = "crossover_prob",
           .initial = 0.9,
           .doc = "probability that a child has two parents",
           .bounds = {.least = 0, .most = 1}},
          {.name = "mutation_prob",
           .doc = "probability that a parameter mutates; one in the number of parameters unless "
                  "given",
           .kind = FieldKind::Real,
           .bounds = {.most = 1, .above = 0}},
          {.name = "crossover_index",
           .initial = 20.0,
           .doc = "of simulated binary crossover; larger keeps children nearer to their parents",
           .bounds = {.least = 0}},
          {.name = "mutation_index",
           .initial = 10.0,
           .doc = "of polynomial mutation; larger makes smaller changes",
           .bounds = {.least = 0}},
          {.name = "tournament_size",
           .initial = 4,
           .doc = "members drawn for each parent, of which the best becomes it",
           .bounds = {.least = 1}}};
}

GeneticSettings genetic_settings(const Args& args) {
  return {.population = static_cast<std::size_t>(args.integer("population_size")),
          .crossover = args.real("crossover_prob"),
          .mutation = args.has("mutation_prob") ? args.real("mutation_prob") : 0,
          .crossover_index = args.real("crossover_index"),
          .mutation_index = args.real("mutation_index"),
          .tournament = static_cast<std::size_t>(args.integer("tournament_size"))};
}

GeneticSampler::GeneticSampler(const SamplerContext& context, const GeneticSettings& settings,
                               Survival survive)
    : space_(context.space),
      directions_(context.directions),
      seed_(context.seed),
      settings_(settings),
      survive_(std::move(survive)),
      axes_(axes_of(context.space)),
      history_(context.directions) {}

Result<Proposal> GeneticSampler::propose(std::span<const SampledTrial> trials,
                                         std::int64_t number) {
  if (!history_.follow(trials)) {
    population_.clear();
    generation_ = 0;
    begin_ = 0;
  }
  while (next_generation(trials)) continue;
  if (waits_) return Proposal{.kind = Proposal::Kind::Wait};
  if (generation_ == 0) return Proposal{.point = spread_point(space_, seed_, number)};
  Dice dice(Stream(seed_, "search/genetic", static_cast<std::uint64_t>(number)));
  Point point = child(dice);
  for (int i = 0; i < kMostAttempts && history_.find(point) != nullptr; ++i) point = child(dice);
  return Proposal{.point = std::move(point)};
}

/// Adds the next complete generation to the population. False when there is none; `waits_` says
/// whether it has started all its trials and some are still running.
bool GeneticSampler::next_generation(std::span<const SampledTrial> trials) {
  waits_ = false;
  std::vector<std::size_t> indices;
  std::size_t next = begin_;
  for (; next < trials.size() && indices.size() < settings_.population; ++next) {
    const SampledTrial& trial = trials[next];
    const bool counts = !trial.point.empty() || !is_finished(trial.state);
    if (counts && trial.state != TrialState::Fail) indices.push_back(next);
  }
  if (indices.size() < settings_.population) return false;
  waits_ = std::any_of(indices.begin(), indices.end(),
                       [&](std::size_t one) { return !is_finished(trials[one].state); });
  if (waits_) return false;
  breed(trials, indices);
  begin_ = next;
  ++generation_;
  return true;
}

GeneticSampler::Member GeneticSampler::member(const SampledTrial& trial) const {
  if (trial.state == TrialState::Complete)
    return {.point = trial.point, .losses = losses_of(trial.values, directions_)};
  return {.point = trial.point,
          .losses = Losses(directions_.size(), std::numeric_limits<double>::infinity())};
}

/// The survivors among parents and children are the parents of the next generation.
void GeneticSampler::breed(std::span<const SampledTrial> trials,
                           std::span<const std::size_t> indices) {
  for (const std::size_t index : indices) population_.push_back(member(trials[index]));
  std::vector<Losses> rows;
  for (const Member& one : population_) rows.push_back(one.losses);
  std::vector<Member> survivors;
  const Dice dice(Stream(seed_, "search/survival", generation_));
  for (const std::size_t row : survive_(rows, settings_.population, dice))
    survivors.push_back(std::move(population_[row]));
  population_ = std::move(survivors);
}

const Point& GeneticSampler::parent(Dice& dice) const {
  std::uint64_t chosen = dice.below(population_.size());
  for (std::size_t i = 1; i < settings_.tournament; ++i)
    chosen = std::min(chosen, dice.below(population_.size()));
  return population_[chosen].point;
}

Point GeneticSampler::child(Dice& dice) const {
  const Point& first = parent(dice);
  const Point& second = dice.uniform() < settings_.crossover ? parent(dice) : first;
  const double chance = settings_.mutation > 0
                            ? settings_.mutation
                            : 1 / static_cast<double>(std::max<std::size_t>(1, axes_.size()));
  Point point(axes_.size(), kInactive);
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!space_.active(point, i)) continue;
    double value = crossed(i, first[i], second[i], dice);
    if (dice.uniform() < chance) value = mutated(i, value, dice);
    point[i] = value;
  }
  return point;
}

/// A parameter that one parent lacks comes from the other; one that both lack is drawn at random.
double GeneticSampler::crossed(std::size_t parameter, double a, double b, Dice& dice) const {
  const double u = dice.uniform();
  const bool takes_second = dice.uniform() < 0.5;
  const Axis& axis = axes_[parameter];
  if (!is_active(a) && !is_active(b))
    return value_at(space_.parameters()[parameter].distribution, u);
  if (!is_active(a) || !is_active(b)) return is_active(a) ? a : b;
  if (a == b) return a;
  // Half of the numbers are blended, the others exchanged.
  if (is_exchanged(axis) || u < 0.5) return takes_second ? b : a;
  const double low = std::min(axis.position_of(a), axis.position_of(b));
  const double high = std::max(axis.position_of(a), axis.position_of(b));
  if (!(high > low)) return a;
  const double room = (takes_second ? 1 - high : low) / (high - low);
  const double factor = spread_factor(2 * u - 1, room, settings_.crossover_index);
  const double reach = factor * (high - low) / 2;
  const double position = (low + high) / 2 + (takes_second ? reach : -reach);
  return axis.value_near(std::clamp(position, 0.0, 1.0));
}

double GeneticSampler::mutated(std::size_t parameter, double value, Dice& dice) const {
  const Axis& axis = axes_[parameter];
  if (!is_exchanged(axis))
    return axis.value_near(
        shifted(axis.position_of(value), dice.uniform(), settings_.mutation_index));
  const Distribution& distribution = space_.parameters()[parameter].distribution;
  const auto count = static_cast<std::uint64_t>(axis.count());
  if (count < 2) return value;
  const auto other = static_cast<std::int64_t>(dice.below(count - 1));  // of all but this one
  const double lower = nth_value(distribution, other);
  return lower < value ? lower : nth_value(distribution, other + 1);
}

}  // namespace chop::search
