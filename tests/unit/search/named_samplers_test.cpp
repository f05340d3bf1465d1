// Samplers one by one: what each of them promises beyond the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "search/algorithms/pareto.hpp"
#include "support/search_samples.hpp"

namespace chop {
namespace {

/// The median of the best value over seeds, after `trials` trials.
double median_best(std::string_view name, const Space& space, std::size_t trials) {
  std::vector<double> bests;
  for (std::uint64_t seed = 0; seed < 11; ++seed) {
    const auto sampler = make_sampler(name, context_for(space, 1, seed));
    double best = 1e300;
    for (const SampledTrial& trial :
         play_study(*sampler, {.objectives = one_objective, .trials = trials}))
      best = std::min(best, trial.values[0]);
    bests.push_back(best);
  }
  std::sort(bests.begin(), bests.end());
  return bests[bests.size() / 2];
}

TEST(Tpe, LearnsFromWhatItHasSeen) {
  const Space widths = widths_space(12, {1, 2, 3, 4, 5});
  EXPECT_LT(median_best("tpe", widths, 150), 0.5 * median_best("random", widths, 150));
  std::vector<SpaceParameter> rates(4);
  for (std::size_t i = 0; i < 4; ++i) rates[i] = {cat("r", i), Distribution::real(-5, 10)};
  const Space reals(rates);
  EXPECT_LT(median_best("tpe", reals, 100), 0.1 * median_best("random", reals, 100));
}

TEST(Tpe, ProposalsStayCheap) {
  const Space space = widths_space(12);
  const auto sampler = make_sampler("tpe", context_for(space, 2));
  const std::clock_t start = std::clock();  // of the processor: others may be at work
  const auto trials = play_study(*sampler, {.objectives = two_objectives, .trials = 2000});
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(trials.size(), 2000U);
  EXPECT_LT(seconds, 20) << "a fifth of a millisecond each, where nothing else runs";
}

TEST(Tpe, ModelsEachParameterOnItsOwnIfAsked) {
  const Space space = draw_space(5, /*finite=*/false);
  Tree options = Tree::table();
  options.set("multivariate", false);
  const auto sampler = make_sampler("tpe", context_for(space, 1), options);
  for (const SampledTrial& trial :
       play_study(*sampler, {.objectives = one_objective, .trials = 40, .workers = 2}))
    EXPECT_TRUE(space.holds(trial.point));
}

TEST(Nsgaii, ApproachesTheFront) {
  const Space space = widths_space(10, {0, 1, 2, 3, 4, 5});
  const Losses reference = {1e4, 51};
  std::map<std::string, double> volumes;
  for (const std::string name : {"nsgaii", "random"}) {
    const auto sampler = make_sampler(name, context_for(space, 2));
    std::vector<Losses> rows;
    for (const SampledTrial& trial :
         play_study(*sampler, {.objectives = two_objectives, .trials = 600, .workers = 4}))
      rows.push_back(trial.values);
    volumes[name] = hypervolume(rows, reference);
  }
  EXPECT_GT(volumes["nsgaii"], volumes["random"]);
}

TEST(Nsgaii, AFailedTrialIsReplacedWithinItsGeneration) {
  const Space space = widths_space(6);
  Tree options = Tree::table();
  options.set("population_size", 8);
  Play played{.objectives = two_objectives, .trials = 60};
  played.fails = [](std::int64_t number) { return number % 5 == 2; };
  const auto alone = play_study(*make_sampler("nsgaii", context_for(space, 2), options), played);
  played.workers = 7;
  const auto together = play_study(*make_sampler("nsgaii", context_for(space, 2), options), played);
  EXPECT_TRUE(same_points(alone, together));
}

TEST(Qmc, RefusesMoreParametersThanItHasNumbersFor) {
  const Space space = widths_space(257);
  const SamplerDef& def = *find_sampler("qmc").value();
  const Args args = Args::check(def.args, Tree::table(), {}).value();
  const auto made = def.make(context_for(space, 1), args);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what,
            "Sobol's sequence is known here for 256 parameters, the space has 257");
}

TEST(Qmc, SeedsGiveOtherPointsOnlyWhenScrambled) {
  const Space space({{"x", Distribution::real(0, 1)}, {"y", Distribution::real(0, 1)}});
  const auto third = [&](std::uint64_t seed, bool scramble) {
    Tree options = Tree::table();
    options.set("scramble", scramble);
    return make_sampler("qmc", context_for(space, 1, seed), options)->propose({}, 3).value().point;
  };
  EXPECT_EQ(third(1, false), third(2, false));
  EXPECT_NE(third(1, true), third(2, true));
  EXPECT_NEAR(third(1, false)[0], 0.25, 1e-9);
}

TEST(Grid, GoesThroughThePointsInOrder) {
  const Space space = draw_space(3, /*finite=*/true);
  const auto sampler = make_sampler("grid", context_for(space, 1));
  const auto trials =
      play_study(*sampler, {.objectives = one_objective, .trials = 1000, .workers = 3});
  ASSERT_EQ(static_cast<std::int64_t>(trials.size()), space.size());
  for (const SampledTrial& trial : trials)
    EXPECT_TRUE(same_point(trial.point, space.at(trial.number)));
}

TEST(Grid, RefusesASpaceWithoutEnd) {
  const Space space({{"rate", Distribution::real(0, 1)}});
  const SamplerDef& def = *find_sampler("grid").value();
  const auto made = def.make(context_for(space, 1), Args());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "the space has too many points to try them all");
}

}  // namespace
}  // namespace chop
