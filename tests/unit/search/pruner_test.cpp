// Pruners on curves a person can follow; the oracle test compares them with Optuna's on many more.
#include "search/algorithms/pruner_def.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/search_samples.hpp"

namespace chop {
namespace {

std::unique_ptr<Pruner> make_pruner(std::string_view name, const Tree& options = Tree::table(),
                                    Direction direction = Direction::Minimise) {
  const PrunerDef& def = *find_pruner(name).value();
  return def.make(direction, Args::check(def.args, options, {}).value()).value();
}

/// A trial that reported these values at steps 1, 2, ...
SampledTrial reported(std::int64_t number, TrialState state, const std::vector<double>& values) {
  SampledTrial trial{.number = number, .state = state, .point = {0}};
  for (std::size_t i = 0; i < values.size(); ++i)
    trial.reports[static_cast<std::int64_t>(i) + 1] = values[i];
  return trial;
}

TEST(Median, EndsWhatIsWorseThanTheMedianOfTheStep) {
  std::vector<SampledTrial> trials;
  for (std::int64_t i = 0; i < 5; ++i)
    trials.push_back(reported(i, TrialState::Complete, {9, static_cast<double>(i)}));
  const auto pruner = make_pruner("median");
  EXPECT_TRUE(pruner->should_prune(trials, reported(5, TrialState::Running, {9, 2.5})));
  EXPECT_FALSE(pruner->should_prune(trials, reported(5, TrialState::Running, {9, 2})));
  EXPECT_FALSE(pruner->should_prune(trials, reported(5, TrialState::Running, {1, 100})))
      << "its best report so far counts";
  EXPECT_FALSE(pruner->should_prune(trials, reported(5, TrialState::Running, {9, 9, 9})))
      << "nobody else came to this step";
  const auto maximal = make_pruner("median", Tree::table(), Direction::Maximise);
  EXPECT_TRUE(maximal->should_prune(trials, reported(5, TrialState::Running, {0, 1.5})));
}

TEST(Median, WaitsForTrialsAndSteps) {
  std::vector<SampledTrial> trials = {reported(0, TrialState::Complete, {1, 1, 1}),
                                      reported(1, TrialState::Pruned, {1, 1, 1})};
  const SampledTrial bad = reported(2, TrialState::Running, {5, 5, 5});
  Tree options = Tree::table();
  options.set("n_startup_trials", 2);
  EXPECT_FALSE(make_pruner("median", options)->should_prune(trials, bad));
  options.set("n_startup_trials", 1);
  EXPECT_TRUE(make_pruner("median", options)->should_prune(trials, bad));
  options.set("n_warmup_steps", 4);
  EXPECT_FALSE(make_pruner("median", options)->should_prune(trials, bad));
}

TEST(SuccessiveHalving, LetsTheBestOfARungGoOn) {
  Tree options = Tree::table();
  options.set("min_resource", 2);
  options.set("reduction_factor", 2);
  const auto pruner = make_pruner("successive_halving", options);
  std::vector<SampledTrial> trials;
  for (std::int64_t i = 0; i < 3; ++i)
    trials.push_back(reported(i, TrialState::Complete, {0, static_cast<double>(i)}));
  EXPECT_FALSE(pruner->should_prune(trials, reported(3, TrialState::Running, {9}))) << "no rung";
  EXPECT_FALSE(pruner->should_prune(trials, reported(3, TrialState::Running, {9, 0.5})));
  EXPECT_TRUE(pruner->should_prune(trials, reported(3, TrialState::Running, {9, 1.5})));
  EXPECT_TRUE(pruner->should_prune(trials, reported(3, TrialState::Running, {9, std::nan("")})));
  EXPECT_FALSE(pruner->should_prune(trials, reported(3, TrialState::Running, {9, 0.5, 99})))
      << "between two rungs";
}

TEST(SuccessiveHalving, BootstrappingNeedsARung) {
  const PrunerDef& def = *find_pruner("successive_halving").value();
  Tree options = Tree::table();
  options.set("bootstrap_count", 3);
  const auto made = def.make(Direction::Minimise, Args::check(def.args, options, {}).value());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("needs a min_resource"), std::string::npos);
}

TEST(Pruners, EndNothingWithoutReports) {
  for (const PrunerDef& def : all_pruners()) {
    if (def.make == nullptr) continue;
    EXPECT_FALSE(make_pruner(def.name)->should_prune({}, {.number = 0, .point = {0}})) << def.name;
  }
}

}  // namespace
}  // namespace chop
