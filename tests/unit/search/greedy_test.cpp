// The greedy sampler against the walk a person would take.
#include <gtest/gtest.h>

#include <cmath>

#include "search/algorithms/pareto.hpp"
#include "support/search_samples.hpp"

namespace chop {
namespace {

/// Accuracy falls by each layer's sensitivity times 1 / width; bits are what widths weigh.
struct Network {
  std::vector<double> sensitivity;
  std::vector<double> weights;
  std::vector<double> widths = {2, 4, 8};

  double accuracy(const Point& point) const {
    double value = 0.9;
    for (std::size_t i = 0; i < point.size(); ++i)
      value -= sensitivity[i] / widths[static_cast<std::size_t>(point[i])];
    return value;
  }
  double bits(const Point& point) const {
    double sum = 0;
    for (std::size_t i = 0; i < point.size(); ++i)
      sum += weights[i] * widths[static_cast<std::size_t>(point[i])];
    return sum;
  }
  Play play() const {
    Play made{.objectives =
                  [this](const Point& p) {
                    return Losses{accuracy(p), bits(p)};
                  },
              .trials = 1000};
    made.metrics = [this](const Point& p) {
      return std::map<std::string, double>{{"accuracy", accuracy(p)}, {"bits", bits(p)}};
    };
    return made;
  }
};

SamplerContext greedy_context(const Space& space, bool hardware = true) {
  SamplerContext context{.space = space,
                         .directions = {Direction::Maximise, Direction::Minimise},
                         .metrics = {{.name = "accuracy", .direction = Direction::Maximise}}};
  if (hardware) context.metrics.push_back({.name = "bits", .scale = 0.2, .hardware = true});
  return context;
}

/// The cheapest point that keeps the accuracy, among the trials.
const SampledTrial* cheapest(const std::vector<SampledTrial>& trials, double least) {
  const SampledTrial* best = nullptr;
  for (const SampledTrial& trial : trials)
    if (trial.values.size() == 2 && trial.values[0] >= least &&
        (best == nullptr || trial.values[1] < best->values[1]))
      best = &trial;
  return best;
}

TEST(Greedy, MeasuresEveryParameterAloneFirst) {
  const Space space = widths_space(3);
  const Network network{.sensitivity = {0.1, 0.01, 0.001}, .weights = {1, 1, 1}};
  const auto trials = play_study(*make_sampler("greedy", greedy_context(space)), network.play());
  ASSERT_GT(trials.size(), 7U);
  EXPECT_EQ(trials[0].point, (Point{2, 2, 2}));
  for (std::size_t i = 1; i < 7; ++i) {
    int changed = 0;
    for (const double choice : trials[i].point) changed += choice != 2 ? 1 : 0;
    EXPECT_EQ(changed, 1) << "trial " << i;
  }
}

TEST(Greedy, FindsTheCheapestPointWhereMovesDoNotInterfere) {
  const Space space = widths_space(3);
  // Losses of layers add up: two narrow layers lose what each loses alone. At most 0.01 may be
  // lost: the second and third layers may have 2 bits (0.0075 + 0.00075 lost), the first none less
  // than 8.
  const Network network{.sensitivity = {0.1, 0.02, 0.002}, .weights = {1, 5, 2}};
  const auto trials = play_study(*make_sampler("greedy", greedy_context(space)), network.play());
  const SampledTrial* best = cheapest(trials, network.accuracy({2, 2, 2}) - 0.01);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->point, (Point{2, 0, 0}));
  EXPECT_LT(trials.size(), 15U) << "of 27 points";
}

TEST(Greedy, CountsTheNumbersWhenNothingElseCosts) {
  const Space space = widths_space(3);
  const Network network{.sensitivity = {0.1, 0.02, 0.002}, .weights = {1, 1, 1}};
  const auto trials = play_study(*make_sampler("greedy", greedy_context(space, /*hardware=*/false)),
                                 network.play());
  EXPECT_EQ(cheapest(trials, network.accuracy({2, 2, 2}) - 0.01)->point, (Point{2, 0, 0}));
}

TEST(Greedy, ToleranceZeroAllowsNoLoss) {
  const Space space = widths_space(2);
  const Network network{.sensitivity = {0.1, 0}, .weights = {1, 1}};
  Tree options = Tree::table();
  options.set("tolerance", 0.0);
  const auto trials =
      play_study(*make_sampler("greedy", greedy_context(space), options), network.play());
  EXPECT_EQ(cheapest(trials, network.accuracy({2, 2}))->point, (Point{2, 0}));
}

TEST(Greedy, SaysWhenTheBaselineHasNoResult) {
  const Space space = widths_space(1);
  const auto sampler = make_sampler("greedy", greedy_context(space));
  std::vector<SampledTrial> trials;
  for (const double choice : {2.0, 2.0, 0.0, 1.0}) {
    const auto number = static_cast<std::int64_t>(trials.size());
    const bool fails = choice == 2;
    trials.push_back({.number = number,
                      .state = fails ? TrialState::Fail : TrialState::Complete,
                      .point = {choice},
                      .values = fails ? Losses{} : Losses{0.5, 1}});
  }
  const auto proposal = sampler->propose(trials, 4);
  ASSERT_FALSE(proposal);
  EXPECT_EQ(proposal.error().what, "the trial all others are compared with has no result");
}

}  // namespace
}  // namespace chop
