// What genetic samplers share: generations, crossover and mutation. They differ in who survives.
#pragma once

#include <functional>

#include "search/algorithms/history.hpp"
#include "search/algorithms/parzen.hpp"

namespace chop::search {

struct GeneticSettings {
  std::size_t population = 50;
  double crossover = 0.9;       ///< probability that a child has two parents
  double mutation = 0;          ///< probability of each parameter; 0: one in as many as there are
  double crossover_index = 20;  ///< of simulated binary crossover: larger is nearer the parents
  double mutation_index = 10;   ///< of polynomial mutation: larger is nearer the child
  std::size_t tournament = 4;   ///< members drawn for a parent, of which the surest becomes it
};

/// The arguments all of them have, and what they say.
std::vector<Field> genetic_args();
GeneticSettings genetic_settings(const Args& args);

/// The rows that survive, `count` of them, the surest first.
using Survival = std::function<std::vector<std::size_t>(std::span<const Losses> rows,
                                                        std::size_t count, Dice dice)>;

/// Trials in order of their numbers, failed ones left out, are the generations. A generation is
/// begun when the one before has finished, so every point is the same for any number of workers.
class GeneticSampler : public Sampler {
 public:
  GeneticSampler(const SamplerContext& context, const GeneticSettings& settings, Survival survive);

  Result<Proposal> propose(std::span<const SeenTrial> trials, std::int64_t number) override;

 private:
  struct Member {
    Point point;
    Losses losses;
  };

  bool next_generation(std::span<const SeenTrial> trials);
  void breed(std::span<const SeenTrial> trials, std::span<const std::size_t> places);
  Member member(const SeenTrial& trial) const;
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
  std::vector<Member> population_;  ///< the surest first
  std::uint64_t generation_ = 0;
  std::size_t begin_ = 0;  ///< place of the first trial after the last whole generation
  bool waits_ = false;
};

}  // namespace chop::search
