// The training loop: it learns, the same on any number of threads, and ends when told.
#include "train/trainer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "train/loop/schedule.hpp"
#include "unit/train/networks.hpp"

namespace chop {
namespace {

using test::toy_data;
using test::toy_network;

TrainOptions quick(std::int64_t epochs, std::int64_t batch) {
  return {.max_epochs = epochs, .batch_size = batch, .settings = {.learning_rate = 0.02}};
}

TrainOutcome run(const Graph& graph, const Dataset& data, const TrainOptions& options,
                 const TrainObserver& observer = {}) {
  auto outcome = train_network(graph, data, options, observer);
  EXPECT_TRUE(outcome) << (outcome ? "" : to_string(outcome.error()));
  return std::move(outcome).value();
}

double largest_difference(const Graph& a, const Graph& b) {
  double worst = 0;
  for (std::size_t p = 0; p < a.parameters().size(); ++p) {
    const Tensor& x = a.parameters()[p].value;
    const Tensor& y = b.parameters()[p].value;
    for (std::int64_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::abs(x.at(i) - y.at(i)));
  }
  return worst;
}

TEST(Train, LearnsTheSignOfASumInAFewEpochs) {
  const Dataset data = toy_data(512);
  const TrainOutcome outcome = run(toy_network(), data, quick(8, 16));
  EXPECT_EQ(outcome.ending, Ending::Completed);
  ASSERT_EQ(outcome.history.size(), 8u);
  EXPECT_EQ(outcome.steps, 8 * 32);
  EXPECT_LT(outcome.history.back().train_loss, outcome.history.front().train_loss / 3);
  const Metrics test = evaluate(outcome.best, data.test, {}).value();
  EXPECT_GT(test.accuracy(), 0.95);
}

TEST(Train, LeavesTheGraphItWasGivenAlone) {
  const Graph graph = toy_network();
  const TrainOutcome outcome = run(graph, toy_data(64), quick(1, 16));
  EXPECT_EQ(graph, toy_network());
  EXPECT_GT(largest_difference(graph, outcome.last), 0);
}

TEST(Train, GivesTheSameBitsOnOneAndTwoThreads) {
  const Dataset data = toy_data(75);
  for (const Graph& graph : {toy_network(), test::noisy_network(), test::conv_network()}) {
    TrainOptions options = quick(3, 16);
    const TrainOutcome one = run(graph, data, options);
    options.threads = 2;
    const TrainOutcome two = run(graph, data, options);
    EXPECT_TRUE(one.last == two.last) << graph.name();
    EXPECT_TRUE(one.best == two.best) << graph.name();
    EXPECT_EQ(one.best_loss, two.best_loss) << graph.name();
  }
}

TEST(Train, GivesTheSameBitsWhenBatchesAreGatheredAhead) {
  const Dataset data = toy_data(700000);  // more than a core's cache holds
  TrainOptions options = quick(1, 4096);
  options.most_batches = 100;
  const TrainOutcome one = run(toy_network(), data, options);
  options.threads = 2;
  EXPECT_TRUE(one.last == run(toy_network(), data, options).last);
}

TEST(Train, DependsOnTheSeed) {
  const Dataset data = toy_data(64);
  TrainOptions options = quick(1, 16);
  const TrainOutcome zero = run(toy_network(), data, options);
  EXPECT_TRUE(zero.last == run(toy_network(), data, options).last);
  options.seed = 1;
  EXPECT_FALSE(zero.last == run(toy_network(), data, options).last);
}

TEST(Train, UpdatesRunningStatistics) {
  const Graph graph = test::noisy_network();
  const TrainOutcome outcome = run(graph, toy_data(64), quick(1, 16));
  EXPECT_NE(outcome.last.find_parameter("norm.running_mean")->value,
            graph.find_parameter("norm.running_mean")->value);
}

TEST(Train, KeepsTheWeightsOfTheBestEpoch) {
  const Dataset data = toy_data(128);
  TrainOptions options = quick(6, 8);
  options.settings.learning_rate = 0.3;  // too large: the loss goes up and down
  const TrainOutcome outcome = run(toy_network(), data, options);
  const auto least = std::ranges::min_element(outcome.history, {}, &EpochMetrics::validation_loss);
  EXPECT_EQ(outcome.best_epoch, least->epoch);
  EXPECT_EQ(outcome.best_loss, least->validation_loss);
  const std::int64_t batch = evaluation_batch(data.sample_shape, options.batch_size);
  EXPECT_EQ(evaluate(outcome.best, data.validation, {.batch = batch}).value().loss,
            outcome.best_loss);
}

TEST(Train, StopsWhenPatienceIsLostAndSaysSo) {
  TrainOptions options = quick(50, 16);
  options.settings.learning_rate = 0;  // no epoch is better than the first
  options.patience = 2;
  const TrainOutcome outcome = run(toy_network(), toy_data(64), options);
  EXPECT_EQ(outcome.ending, Ending::EarlyStopped);
  EXPECT_EQ(outcome.history.size(), 3u);
  EXPECT_EQ(outcome.best_epoch, 0);
}

TEST(Train, StopsAfterMaxStepsAndEvaluatesTheWeightsItHas) {
  TrainOptions options = quick(10, 16);
  options.max_steps = 6;  // of 4 per epoch
  const TrainOutcome outcome = run(toy_network(), toy_data(64), options);
  EXPECT_EQ(outcome.steps, 6);
  ASSERT_EQ(outcome.history.size(), 2u);
  EXPECT_EQ(outcome.history[0].step, 4);
  EXPECT_EQ(outcome.history[1].step, 6);
  EXPECT_EQ(outcome.ending, Ending::Completed);
}

TEST(Train, TakesTwoBatchesOf8AsOneOf16WhenAccumulating) {
  const Dataset data = toy_data(64);
  TrainOptions options = quick(2, 16);
  options.optimiser = "sgd";
  const TrainOutcome whole = run(toy_network(), data, options);
  options.batch_size = 8;
  options.accumulate_grad_batches = 2;
  const TrainOutcome halves = run(toy_network(), data, options);
  EXPECT_EQ(halves.steps, whole.steps);
  EXPECT_LT(largest_difference(whole.last, halves.last), 1e-5);
  EXPECT_GT(largest_difference(toy_network(), halves.last), 1e-2);
}

TEST(Train, StepsOnceMoreForTheBatchesLeftAtTheEndOfAnEpoch) {
  TrainOptions options = quick(2, 16);
  options.accumulate_grad_batches = 3;
  EXPECT_EQ(run(toy_network(), toy_data(64), options).steps, 2 * 2);  // 3 + 1 of 4 batches
}

TEST(Train, FollowsTheCosineFromEpochToEpoch) {
  TrainOptions options = quick(4, 16);
  options.eta_min = 0.0;
  const TrainOutcome outcome = run(toy_network(), toy_data(32), options);
  for (const EpochMetrics& m : outcome.history)
    EXPECT_DOUBLE_EQ(m.learning_rate, (CosineSchedule{0.02, 0, 4}.at(m.epoch)));
  options.t_max = 2;
  EXPECT_NEAR(run(toy_network(), toy_data(32), options).history[2].learning_rate, 0, 1e-12);
}

TEST(Train, NeverRaisesALearningRateThatIsBelowTheCosinesEnd) {
  TrainOptions options = quick(3, 16);
  options.settings.learning_rate = 1e-8;
  for (const EpochMetrics& m : run(toy_network(), toy_data(32), options).history)
    EXPECT_EQ(m.learning_rate, 1e-8);
}

TEST(Train, TellsTheObserverOfBatchesStepsAndEpochs) {
  std::vector<std::int64_t> batches;
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> epochs;
  TrainObserver observer;
  observer.on_batch = [&](std::int64_t, std::int64_t batch, std::int64_t of, double loss) {
    EXPECT_EQ(of, 4);
    EXPECT_TRUE(std::isfinite(loss));
    batches.push_back(batch);
  };
  observer.on_step = [&](const StepMetrics& m) { steps.push_back(m.step); };
  observer.on_epoch = [&](const EpochMetrics& m, double) { epochs.push_back(m.epoch); };
  TrainOptions options = quick(2, 20);
  options.log_every_n_steps = 3;
  run(toy_network(), toy_data(64), options, observer);
  EXPECT_EQ(batches, (std::vector<std::int64_t>{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(steps, (std::vector<std::int64_t>{3, 6}));
  EXPECT_EQ(epochs, (std::vector<std::int64_t>{0, 1}));
}

TEST(Train, TakesARaggedLastBatchAlsoWhenTheBatchesAreLimited) {
  const Dataset data = toy_data(50);  // 16, 16, 16 and 2
  TrainOptions options = quick(2, 16);
  const TrainOutcome all = run(toy_network(), data, options);
  options.most_batches = 5;  // more than there are
  EXPECT_TRUE(all.last == run(toy_network(), data, options).last);
  options.most_batches = 3;
  EXPECT_EQ(run(toy_network(), data, options).steps, 6);
}

TEST(Train, TakesABatchLargerThanTheData) {
  const TrainOutcome outcome = run(toy_network(), toy_data(10), quick(3, 128));
  EXPECT_EQ(outcome.steps, 3);
}

TEST(Train, StopsBetweenEpochsOfASingleBatch) {
  TrainObserver observer;
  observer.stop_requested = [] { return true; };
  const TrainOutcome outcome = run(toy_network(), toy_data(10), quick(50, 128), observer);
  EXPECT_EQ(outcome.ending, Ending::Interrupted);
  EXPECT_EQ(outcome.steps, 1);
}

TEST(Train, EndsWithAnErrorWhenTheLossIsNotFinite) {
  TrainOptions options = quick(3, 16);
  options.optimiser = "sgd";
  options.settings.learning_rate = 1e30;
  const auto outcome = train_network(toy_network(), toy_data(64), options, {});
  ASSERT_FALSE(outcome);
  const std::string& what = outcome.error().what;
  EXPECT_TRUE(what == "the loss is nan at epoch 1, batch 2" ||
              what == "the loss is inf at epoch 1, batch 2")
      << what;
  EXPECT_EQ(outcome.error().hint, "try a smaller --learning-rate");
}

TEST(Train, RefusesDataThatDoesNotFitAndUnknownOptimisers) {
  TrainOptions options = quick(1, 16);
  Dataset data = toy_data(16);
  data.num_classes = 3;
  EXPECT_EQ(train_network(toy_network(), data, options, {}).error().what,
            "the network has 2 outputs, the data set 3 classes");
  data = toy_data(16);
  data.validation = {};
  EXPECT_EQ(train_network(toy_network(), data, options, {}).error().what,
            "the data set has no rows");
  options.optimiser = "rmsprop";
  EXPECT_EQ(train_network(toy_network(), toy_data(16), options, {}).error().what,
            "unknown optimiser 'rmsprop'");
  options = quick(1, 0);
  EXPECT_EQ(train_network(toy_network(), toy_data(16), options, {}).error().what,
            "a batch of 0 rows cannot be run");
}

}  // namespace
}  // namespace chop
