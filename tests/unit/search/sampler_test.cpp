// What every sampler keeps to, whatever the space.
#include "search/sampler_def.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/pareto.hpp"
#include "support/search_samples.hpp"

namespace chop {
namespace {

/// Smooth where numbers are, different for every choice; inactive places count as nothing.
double bowl(const Point& point) {
  double sum = 0;
  for (std::size_t i = 0; i < point.size(); ++i)
    if (is_active(point[i])) sum += (point[i] - 1) * (point[i] - 1) * static_cast<double>(i + 1);
  return sum;
}

std::vector<double> one_objective(const Point& point) {
  return {bowl(point)};
}

std::vector<double> two_objectives(const Point& point) {
  double size = 0;
  for (const double value : point) size += is_active(value) ? value : 0;
  return {bowl(point), size};
}

SamplerContext context_for(const Space& space, std::size_t objectives, std::uint64_t seed = 7) {
  return {.space = space,
          .directions = std::vector<Direction>(objectives, Direction::Minimise),
          .metrics = {{.name = "loss"}, {.name = "bits", .hardware = true}},
          .seed = seed};
}

class EverySampler : public testing::TestWithParam<std::string> {
 protected:
  const SamplerDef& def() const { return *find_sampler(GetParam()).value(); }
  bool takes_reals() const {
    const Space space({{"x", Distribution::real(0, 1)}});
    const Args args = Args::check(def().args, Tree::table(), {}).value();
    return static_cast<bool>(def().make(context_for(space, 1), args));
  }
  Play play(std::size_t objectives, std::size_t trials) const {
    Play made{.objectives = objectives == 1 ? one_objective : two_objectives, .trials = trials};
    made.metrics = [](const Point& point) {
      const std::vector<double> both = two_objectives(point);
      return std::map<std::string, double>{{"loss", both[0]}, {"bits", both[1]}};
    };
    return made;
  }
};

TEST_P(EverySampler, SaysWhetherItTakesReals) {
  EXPECT_TRUE(def().continuous || !takes_reals());
}

TEST_P(EverySampler, StaysInsideTheSpace) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Space space = draw_space(seed, /*finite=*/!takes_reals() || seed % 2 == 0);
    const std::size_t objectives = 1 + seed % 2;
    const auto sampler = make_sampler(GetParam(), context_for(space, objectives, seed));
    Play played = play(objectives, 40);
    played.workers = 1 + seed % 3;
    played.fails = [](std::int64_t number) { return number % 7 == 3; };
    for (const SeenTrial& trial : play_study(*sampler, played))
      EXPECT_TRUE(space.holds(trial.point)) << "seed " << seed << ", trial " << trial.number;
  }
}

TEST_P(EverySampler, GivesTheSamePointsForTheSameSeed) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Space space = draw_space(seed, !takes_reals());
    const SamplerContext context = context_for(space, 2, seed);
    const auto first = play_study(*make_sampler(GetParam(), context), play(2, 40));
    const auto second = play_study(*make_sampler(GetParam(), context), play(2, 40));
    EXPECT_TRUE(same_points(first, second)) << "seed " << seed;
  }
}

TEST_P(EverySampler, GoesOnAsIfItHadNotBeenStopped) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Space space = draw_space(seed, !takes_reals() || seed % 2 == 1);
    const SamplerContext context = context_for(space, 1 + seed % 2, seed);
    Play whole = play(1 + seed % 2, 60);
    whole.fails = [](std::int64_t number) { return number % 11 == 5; };
    const auto trials = play_study(*make_sampler(GetParam(), context), whole);
    Play rest = whole;
    rest.past.assign(
        trials.begin(),
        trials.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(23, trials.size())));
    const auto resumed = play_study(*make_sampler(GetParam(), context), rest);
    EXPECT_TRUE(same_points(trials, resumed)) << "seed " << seed;
  }
}

TEST_P(EverySampler, RemembersNothingThatMatters) {
  const Space space = draw_space(2, !takes_reals());
  const SamplerContext context = context_for(space, 2, 1);
  const auto sampler = make_sampler(GetParam(), context);
  const auto trials = play_study(*sampler, play(2, 60));
  for (const std::size_t length : {trials.size() / 2, std::size_t{0}, trials.size() / 3}) {
    const std::span<const SeenTrial> past(trials.data(), length);
    const auto number = static_cast<std::int64_t>(length);
    const Point again = sampler->propose(past, number).value().point;
    EXPECT_TRUE(same_point(again, trials[length].point)) << "after " << length << " trials";
  }
}

TEST_P(EverySampler, KeepsItsWordAboutWorkers) {
  if (def().reproducible != "for any number of workers") return;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Space space = draw_space(seed, !takes_reals());
    const SamplerContext context = context_for(space, 2, seed);
    Play played = play(2, 130);
    const auto alone = play_study(*make_sampler(GetParam(), context), played);
    played.workers = 5;
    played.order = seed;
    const auto together = play_study(*make_sampler(GetParam(), context), played);
    EXPECT_TRUE(same_points(alone, together)) << "seed " << seed;
  }
}

TEST_P(EverySampler, BearsTrialsThatAreNotOfItsSpace) {
  const Space space = widths_space(3);
  const auto sampler = make_sampler(GetParam(), context_for(space, 1));
  Play played = play(1, 30);
  for (std::int64_t i = 0; i < 15; ++i)
    played.past.push_back({.number = i, .state = TrialState::Complete, .values = {0.0}});
  for (const SeenTrial& trial : play_study(*sampler, played))
    EXPECT_TRUE(trial.number < 15 || space.holds(trial.point));
}

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (const SamplerDef& def : all_samplers()) names.emplace_back(def.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EverySampler, testing::ValuesIn(sampler_names()),
                         [](const auto& test) { return test.param; });

TEST(Samplers, AreFoundByNameAliasAndInAnyCase) {
  EXPECT_EQ(find_sampler("Brute_Force").value()->name, "grid");
  EXPECT_EQ(find_sampler("TPE").value()->name, "tpe");
  EXPECT_FALSE(find_sampler("annealing"));
}

/// Samplers that know every point find all of a small space and then say so.
class ExhaustingSampler : public testing::TestWithParam<std::string> {};

TEST_P(ExhaustingSampler, TriesEveryPointOnceAndIsDone) {
  const Space space({{"a", Distribution::categorical(numbers({2, 4, 8}))},
                     {"b", Distribution::categorical({"x", "y"})},
                     {"c", Distribution::integer(1, 3)}});
  for (const std::size_t workers : {1, 4}) {
    const auto sampler = make_sampler(GetParam(), context_for(space, 1));
    const auto trials = play_study(
        *sampler, {.objectives = one_objective, .trials = 20, .workers = workers, .order = 3});
    const std::vector<Point> points = points_of(trials);
    EXPECT_EQ(trials.size(), 18U);
    EXPECT_EQ(std::set<Point>(points.begin(), points.end()).size(), 18U);
  }
}

TEST_P(ExhaustingSampler, TriesAFailedPointOnceMore) {
  const Space space({{"a", Distribution::categorical({"x", "y", "z"})}});
  const auto sampler = make_sampler(GetParam(), context_for(space, 1));
  Play played{.objectives = one_objective, .trials = 20};
  played.fails = [](std::int64_t) { return true; };
  const auto trials = play_study(*sampler, played);
  ASSERT_EQ(trials.size(), 6U);
  for (int value = 0; value < 3; ++value)
    EXPECT_EQ(std::count_if(trials.begin(), trials.end(),
                            [&](const SeenTrial& trial) { return trial.point[0] == value; }),
              2);
}

INSTANTIATE_TEST_SUITE_P(All, ExhaustingSampler, testing::Values("grid", "tpe"),
                         [](const auto& test) { return test.param; });

/// The median of the best value over seeds, after `trials` trials.
double median_best(std::string_view name, const Space& space, std::size_t trials) {
  std::vector<double> bests;
  for (std::uint64_t seed = 0; seed < 11; ++seed) {
    const auto sampler = make_sampler(name, context_for(space, 1, seed));
    double best = 1e300;
    for (const SeenTrial& trial :
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

TEST(Tpe, ModelsEachParameterOnItsOwnIfAsked) {
  const Space space = draw_space(5, /*finite=*/false);
  Tree options = Tree::table();
  options.set("multivariate", false);
  const auto sampler = make_sampler("tpe", context_for(space, 1), options);
  for (const SeenTrial& trial :
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
    for (const SeenTrial& trial :
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
  for (const SeenTrial& trial : trials)
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
