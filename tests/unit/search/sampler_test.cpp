// What every sampler keeps to, whatever the space.
#include "search/algorithms/sampler_def.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/search_samples.hpp"

namespace chop {
namespace {

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
    for (const SampledTrial& trial : play_study(*sampler, played))
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

TEST_P(EverySampler, ContinuesAStoppedStudyWithTheSamePoints) {
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

TEST_P(EverySampler, ProposesTheSameWithoutItsMemoryOfEarlierCalls) {
  const Space space = draw_space(2, !takes_reals());
  const SamplerContext context = context_for(space, 2, 1);
  const auto sampler = make_sampler(GetParam(), context);
  const auto trials = play_study(*sampler, play(2, 60));
  for (const std::size_t length : {trials.size() / 2, std::size_t{0}, trials.size() / 3}) {
    const std::span<const SampledTrial> past(trials.data(), length);
    const auto number = static_cast<std::int64_t>(length);
    const Point again = sampler->propose(past, number).value().point;
    EXPECT_TRUE(same_point(again, trials[length].point)) << "after " << length << " trials";
  }
}

TEST_P(EverySampler, IsReproducibleForAnyNumberOfWorkersIfItSaysSo) {
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

TEST_P(EverySampler, AcceptsTrialsOfOtherSpaces) {
  const Space space = widths_space(3);
  const auto sampler = make_sampler(GetParam(), context_for(space, 1));
  Play played = play(1, 30);
  for (std::int64_t i = 0; i < 15; ++i)
    played.past.push_back({.number = i, .state = TrialState::Complete, .values = {0.0}});
  for (const SampledTrial& trial : play_study(*sampler, played))
    EXPECT_TRUE(trial.number < 15 || space.holds(trial.point));
}

TEST_P(EverySampler, LearnsOfPointsThatBecomeKnownLater) {
  const Space space = widths_space(4);
  const SamplerContext context = context_for(space, 1);
  const auto trials = play_study(*make_sampler(GetParam(), context), play(1, 20));
  if (trials.size() < 20) return;
  // As other programs run trials: the parameters are stored one after the other.
  const auto sampler = make_sampler(GetParam(), context);
  std::vector<SampledTrial> past(trials.begin(), trials.end() - 1);
  past.back() = past[4] = {.number = 4, .state = TrialState::Running};
  past.back().number = trials[18].number;
  ASSERT_TRUE(sampler->propose(past, 19));
  past[4] = trials[4];
  past.back() = trials[18];
  EXPECT_TRUE(same_point(sampler->propose(past, 19).value().point, trials[19].point));
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
                            [&](const SampledTrial& trial) { return trial.point[0] == value; }),
              2);
}

INSTANTIATE_TEST_SUITE_P(All, ExhaustingSampler, testing::Values("grid", "tpe"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace chop
