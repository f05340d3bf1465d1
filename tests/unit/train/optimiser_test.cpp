// Optimisers: steps worked out by hand. The long runs are compared with PyTorch's in
// tests/oracle.
#include "train/optimiser.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/text.hpp"

namespace chop {
namespace {

/// One optimiser with its state over a few weights.
class Bench {
 public:
  Bench(std::string_view name, OptimiserSettings settings, std::vector<float> weights)
      : def_(*find_optimiser(name).value()), settings_(settings), weights_(std::move(weights)) {
    slots_.assign(def_.slots.size(), std::vector<float>(weights_.size()));
  }

  const std::vector<float>& step(const std::vector<float>& gradients) {
    OptimiserStep step{.values = weights_,
                       .gradients = gradients,
                       .slots = {slots_.begin(), slots_.end()},
                       .number = ++number_,
                       .learning_rate = settings_.learning_rate,
                       .settings = settings_};
    def_.step(step);
    return weights_;
  }
  float slot(std::size_t which, std::size_t at = 0) const { return slots_[which][at]; }

 private:
  const OptimiserDef& def_;
  OptimiserSettings settings_;
  std::vector<float> weights_;
  std::vector<std::vector<float>> slots_;
  std::int64_t number_ = 0;
};

constexpr OptimiserSettings kPlain{.learning_rate = 0.5, .momentum = 0, .nesterov = false};

TEST(Sgd, TakesTheGradientTimesTheRateWithoutMomentum) {
  Bench sgd("sgd", kPlain, {1, -2});
  EXPECT_EQ(sgd.step({2, 4}), (std::vector<float>{0, -4}));
  EXPECT_EQ(sgd.step({2, 0}), (std::vector<float>{-1, -4}));
}

TEST(Sgd, AddsWeightDecayToTheGradient) {
  OptimiserSettings settings = kPlain;
  settings.weight_decay = 0.25;
  Bench sgd("sgd", settings, {4});
  EXPECT_EQ(sgd.step({1}), std::vector<float>{4 - 0.5F * (1 + 1)});
}

TEST(Sgd, StartsTheMomentumWithTheFirstGradientItself) {
  OptimiserSettings settings = kPlain;
  settings.momentum = 0.5;
  Bench sgd("sgd", settings, {0});
  EXPECT_EQ(sgd.step({4})[0], -2);  // u = 4
  EXPECT_EQ(sgd.slot(0), 4);
  EXPECT_EQ(sgd.step({2})[0], -4);  // u = 0.5·4 + 2 = 4
  EXPECT_EQ(sgd.step({0})[0], -5);  // u = 2
}

TEST(Sgd, LooksAheadWithNesterov) {
  OptimiserSettings settings = kPlain;
  settings.momentum = 0.5;
  settings.nesterov = true;
  Bench sgd("sgd", settings, {0});
  EXPECT_EQ(sgd.step({4})[0], -3);     // u = 4, g + u/2 = 6
  EXPECT_EQ(sgd.step({2})[0], -5);     // u = 4, g + u/2 = 4
  EXPECT_EQ(sgd.step({0})[0], -5.5F);  // u = 2, g + u/2 = 1
}

TEST(Sgd, IgnoresNesterovWithoutMomentum) {
  OptimiserSettings settings = kPlain;
  settings.nesterov = true;
  Bench sgd("sgd", settings, {1});
  EXPECT_EQ(sgd.step({2})[0], 0);
}

TEST(Adam, MovesByTheLearningRateAtTheFirstStepWhateverTheGradientsSize) {
  const OptimiserSettings settings{.learning_rate = 0.125};
  Bench adam("adam", settings, {1, 1, 1, 1});
  const auto& w = adam.step({1000, -1e-3F, 3, 0});
  EXPECT_NEAR(w[0], 0.875, 1e-6);
  EXPECT_NEAR(w[1], 1.125, 2e-6);  // ε is felt: 1e-3 / (1e-3 + 1e-8)
  EXPECT_NEAR(w[2], 0.875, 1e-6);
  EXPECT_EQ(w[3], 1);
  EXPECT_NEAR(adam.slot(0, 2), 0.3, 1e-7);
  EXPECT_NEAR(adam.slot(1, 2), 0.009, 1e-8);
}

TEST(Adam, CorrectsTheBiasOfItsMeansAtTheSecondStep) {
  const OptimiserSettings settings{.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.75};
  Bench adam("adam", settings, {0});
  adam.step({1});
  // m = 0.5·0.5 + 0.5·3 = 1.75, m̂ = 1.75 / 0.75; v = 0.75·0.25 + 0.25·9, v̂ = v / 0.4375.
  const double second = 0.1 * (1.75 / 0.75) / std::sqrt((0.1875 + 2.25) / 0.4375);
  EXPECT_NEAR(adam.step({3})[0], -0.1 - second, 1e-7);
}

TEST(Adam, FeelsWeightDecayThroughTheGradientAndAdamwBesideIt) {
  const OptimiserSettings settings{.learning_rate = 0.1, .weight_decay = 0.5};
  // adam: the gradient 0 + 0.5·2 makes a whole step. adamw: 2·(1 - 0.05) and no step.
  Bench adam("adam", settings, {2});
  EXPECT_NEAR(adam.step({0})[0], 1.9, 1e-6);
  Bench adamw("adamw", settings, {2});
  EXPECT_NEAR(adamw.step({0})[0], 1.9, 1e-7);
  EXPECT_EQ(adamw.slot(0), 0);
  EXPECT_NE(adam.slot(0), 0);
  Bench both("adamw", settings, {2});
  EXPECT_NEAR(both.step({-7})[0], 1.9 + 0.1, 1e-6);
}

TEST(Optimisers, LeaveAWeightOfZeroWithoutGradientAtZero) {
  for (const OptimiserDef& def : all_optimisers()) {
    Bench bench(def.name, {.learning_rate = 0.1, .weight_decay = 0.1}, {0});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(bench.step({0})[0], 0) << def.name;
  }
}

TEST(Optimisers, AreFoundByNameOrTheErrorNamesThem) {
  EXPECT_EQ(find_optimiser("sgd").value()->slots.size(), 1u);
  EXPECT_EQ(find_optimiser("adamw").value()->slots.size(), 2u);
  const auto typo = find_optimiser("adamx");
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().what, "unknown optimiser 'adamx'");
  std::vector<std::string> names;
  for (const OptimiserDef& def : all_optimisers()) names.emplace_back(def.name);
  EXPECT_EQ(typo.error().hint, cat("did you mean 'adam'? there are ", join(names, ", ")));
  EXPECT_EQ(find_optimiser("").error().hint, cat("there are ", join(names, ", ")));
}

}  // namespace
}  // namespace chop
