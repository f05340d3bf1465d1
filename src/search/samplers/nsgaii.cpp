// NSGA-II (Deb et al. 2002, "A fast and elitist multiobjective genetic algorithm"): members of
// better fronts survive; within the last front that fits those with the larger crowding distance.
//
// Of the losses (1, 4), (2, 2), (4, 1), (3, 3) three survivors are front 0, the first three. Of
// two, the ends (1, 4) and (4, 1) survive: their crowding distance is infinite.
#include "search/algorithms/genetic.hpp"

namespace chop::search::samplers::nsgaii {
namespace {

std::vector<std::size_t> survive(std::span<const Losses> rows, std::size_t count, Dice) {
  const std::vector<int> ranks = nondominated_ranks(rows);
  const int last = *std::max_element(ranks.begin(), ranks.end());
  std::vector<std::size_t> survivors;
  for (int rank = 0; rank <= last && survivors.size() < count; ++rank) {
    std::vector<std::size_t> front;
    std::vector<Losses> members;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (ranks[i] != rank) continue;
      front.push_back(i);
      members.push_back(rows[i]);
    }
    const std::vector<double> room = crowding_distances(members);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < front.size(); ++i) order.emplace_back(-room[i], front[i]);
    std::sort(order.begin(), order.end());
    for (const auto& [distance, row] : order) survivors.push_back(row);
  }
  survivors.resize(std::min(count, survivors.size()));
  return survivors;
}

Result<std::unique_ptr<Sampler>> make(const SamplerContext& context, const Args& args) {
  return std::unique_ptr<Sampler>(
      std::make_unique<GeneticSampler>(context, genetic_settings(args), survive));
}

}  // namespace

SamplerDef define() {
  return {.name = "nsgaii",
          .aliases = {"nsga2", "nsga_ii"},
          .doc = "genetic search whose generations approach the Pareto front",
          .details = "numbers are crossed by simulated binary crossover, choices exchanged",
          .reproducible = "for any number of workers",
          .args = genetic_args(),
          .make = make};
}

}  // namespace chop::search::samplers::nsgaii
