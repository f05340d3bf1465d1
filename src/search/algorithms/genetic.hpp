// The genetic algorithm that NSGA-II and NSGA-III share: generations, tournaments, crossover and
// mutation. They differ in which members of a generation survive.
//
// With population_size = 4: trials 0 to 3 are points of Sobol's sequence. Once they have finished,
// trials 4 to 7 are children of them; the best 4 of those 8 are the parents of trials 8 to 11, and
// so on.
#pragma once

#include <functional>

#include "search/algorithms/history.hpp"
#include "search/algorithms/parzen.hpp"

namespace chop::search {

struct GeneticSettings {
  std::size_t population = 50;
  double crossover = 0.9;       ///< probability that a child has two parents
  double mutation = 0;          ///< probability for each parameter; 0: 1 / number of parameters
  double crossover_index = 20;  ///< of simulated binary crossover; larger: nearer to the parents
  double mutation_index = 10;   ///< of polynomial mutation; larger: smaller changes
  std::size_t tournament = 4;   ///< members drawn for a parent; the best of them is it
};

/// The arguments all of them have, and the settings made from them.
std::vector<Field> genetic_args();
GeneticSettings genetic_settings(const Args& args);

/// The `count` rows that survive, best first.
using Survival = std::function<std::vector<std::size_t>(std::span<const Losses> rows,
                                                        std::size_t count, Dice dice)>;

/// Generations are runs of `population` trials in order of their numbers, without failed ones. One
/// begins when the one before has finished, so the points do not depend on the number of workers.
class GeneticSampler : public Sampler {
 public:
  GeneticSampler(const SamplerContext& context, const GeneticSettings& settings, Survival survive);

  Result<Proposal> propose(std::span<const SampledTrial> trials, std::int64_t number) override;

 private:
  struct Member {
    Point point;
    Losses losses;
  };

  bool next_generation(std::span<const SampledTrial> trials);
  void breed(std::span<const SampledTrial> trials, std::span<const std::size_t> indices);
  Member member(const SampledTrial& trial) const;
  Point child(Dice& dice) const;
  const Point& parent(Dice& dice) const;
  double crossed(std::size_t parameter, double a, double b, Dice& dice) const;
  double mutated(std::size_t parameter, double value, Dice& dice) const;

  const Space& space_;
  std::vector<Direction> directions_;
  std::uint64_t seed_;
  GeneticSettings settings_;
  Survival survive_;
  std::vector<Axis> axes_;
  History history_;
  std::vector<Member> population_;  ///< best first
  std::uint64_t generation_ = 0;
  std::size_t begin_ = 0;  ///< index of the first trial after the last complete generation
  bool waits_ = false;
};

}  // namespace chop::search
