// The parts of a training: learning rate, updates, batches, what is counted, when it is saved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "train/loop/batch_runner.hpp"
#include "train/loop/checkpoint_writer.hpp"
#include "train/loop/parameter_update.hpp"
#include "train/loop/schedule.hpp"
#include "unit/io/temp_folder.hpp"
#include "unit/train/networks.hpp"

namespace chop {
namespace {

using test::toy_data;
using test::toy_network;

TEST(CosineSchedule, RunsFromStartToEndAndBackUp) {
  EXPECT_EQ((CosineSchedule{1e-3, 1e-6, 10}.at(0)), 1e-3);
  EXPECT_DOUBLE_EQ((CosineSchedule{1e-3, 1e-6, 10}.at(5)), (1e-3 + 1e-6) / 2);
  EXPECT_DOUBLE_EQ((CosineSchedule{1e-3, 1e-6, 10}.at(10)), 1e-6);
  EXPECT_DOUBLE_EQ((CosineSchedule{1e-3, 1e-6, 10}.at(20)), 1e-3);
  EXPECT_DOUBLE_EQ((CosineSchedule{2, 0, 4}.at(1)), 1 + std::numbers::sqrt2 / 2);
}

TEST(CosineSchedule, StaysAtTheStartWithoutAPeriod) {
  EXPECT_EQ((CosineSchedule{0.1, 0, 0}.at(3)), 0.1);
  EXPECT_EQ((CosineSchedule{0.1, 0, 1}.at(0)), 0.1);
}

TEST(CosineSchedule, StaysWhereTheEndIsNotBelowTheStart) {
  EXPECT_EQ((CosineSchedule{0.1, 0.2, 4}.at(2)), 0.1);
}

/// A training of one weight with plain gradient descent: w - rate * gradient.
Training one_weight() {
  Graph graph = test::linear_network({1}, 1, {1.0F});
  return begin_training(graph, ParameterStore::from(graph).value(), *find_optimiser("sgd").value(),
                        false, "jsc");
}
constexpr OptimiserSettings kPlain = {.momentum = 0, .nesterov = false};

TEST(ParameterUpdate, OneBatchIsAStepOfItsGradient) {
  Training training = one_weight();
  ParameterUpdate update(training, kPlain, 1);
  training.store.gradients()[0] = 0.5F;
  update.add_batch();
  EXPECT_TRUE(update.is_full());
  update.step(1, 0.25);
  EXPECT_EQ(training.store.values()[0], 1.0F - 0.125F);
}

TEST(ParameterUpdate, SeveralBatchesAreAStepOfTheirMean) {
  Training training = one_weight();
  ParameterUpdate update(training, kPlain, 2);
  training.store.gradients()[0] = 0.5F;
  update.add_batch();
  EXPECT_FALSE(update.is_full());
  training.store.gradients()[0] = 1.5F;
  update.add_batch();
  EXPECT_TRUE(update.is_full());
  update.step(1, 0.5);
  EXPECT_EQ(training.store.values()[0], 1.0F - 0.5F);
  EXPECT_FALSE(update.is_full()) << "the next step needs two more";
}

TEST(ParameterUpdate, AnEpochThatEndsEarlyDividesByTheNumberAskedFor) {
  Training training = one_weight();
  ParameterUpdate update(training, kPlain, 4);
  training.store.gradients()[0] = 2.0F;
  update.add_batch();
  update.step(1, 1);
  EXPECT_EQ(training.store.values()[0], 0.5F);
}

TEST(ProgressState, CountsRowsOfUnequalBatches) {
  ProgressState state;
  state.add_batch(1.0, 2, 4);
  state.add_batch(4.0, 1, 2);
  EXPECT_EQ(state.batch, 2);
  const EpochMetrics metrics = state.end_epoch(0.1, {.loss = 0.5, .rows = 10, .correct = 7});
  EXPECT_EQ(metrics.train_loss, 2.0);
  EXPECT_EQ(metrics.train_accuracy, 0.5);
  EXPECT_EQ(metrics.validation_accuracy, 0.7);
  EXPECT_EQ(metrics.learning_rate, 0.1);
  EXPECT_TRUE(metrics.is_best);
  EXPECT_EQ(state.epoch, 1);
  EXPECT_EQ(state.batch + state.rows + state.correct, 0);
  EXPECT_EQ(state.loss_sum, 0);
}

TEST(ProgressState, CountsEpochsWithoutABetterLoss) {
  ProgressState state;
  for (const double loss : {3.0, 2.0, 2.0, 4.0}) state.end_epoch(0.1, {.loss = loss});
  EXPECT_EQ(state.best_epoch, 1);
  EXPECT_EQ(state.best_loss, 2.0);
  EXPECT_EQ(state.bad_epochs, 2);
  EXPECT_EQ(state.history.size(), 4U);
  state.end_epoch(0.1, {.loss = std::nan("")});
  EXPECT_EQ(state.bad_epochs, 3) << "no number is not better";
}

TEST(CheckpointWriter, IsDueBySteps) {
  const testing::TempFolder folder;
  const Dataset data = toy_data(16);
  TrainOptions options{
      .checkpoints = folder.path(), .checkpoint_every_n_steps = 3, .checkpoint_every_seconds = 0};
  CheckpointWriter writer(options, data);
  writer.start();
  EXPECT_FALSE(writer.is_due_after_step(2));
  EXPECT_TRUE(writer.is_due_after_step(3));
  EXPECT_TRUE(writer.is_due_after_epoch(3));
  EXPECT_FALSE(writer.is_due_after_epoch(4)) << "less than a second of work";
}

TEST(CheckpointWriter, WritesNothingWithoutAFolder) {
  const Dataset data = toy_data(16);
  const TrainOptions options{.checkpoint_every_n_steps = 1};
  CheckpointWriter writer(options, data);
  EXPECT_FALSE(writer.is_due_after_step(1));
  Training training = one_weight();
  writer.best_changed();
  EXPECT_TRUE(writer.save_last(training));
}

TEST(CheckpointWriter, WritesTheBestOnceUntilItChangesOrIsRemoved) {
  const testing::TempFolder folder;
  const Dataset data = toy_data(16);
  const TrainOptions options{.checkpoints = folder.path()};
  CheckpointWriter writer(options, data);
  Training training = one_weight();
  folder.write("best.ckpt", "of an earlier run");
  ASSERT_TRUE(writer.save_last(training));
  EXPECT_TRUE(std::filesystem::exists(folder / "last.ckpt"));
  EXPECT_FALSE(std::filesystem::exists(folder / "best.ckpt"));
  training.state.best_epoch = 0;
  writer.best_changed();
  ASSERT_TRUE(writer.save_last(training));
  EXPECT_GT(std::filesystem::file_size(folder / "best.ckpt"), 3U);
  folder.write("best.ckpt", "old");
  ASSERT_TRUE(writer.save_last(training));
  EXPECT_EQ(std::filesystem::file_size(folder / "best.ckpt"), 3U);
  std::filesystem::remove(folder / "best.ckpt");
  ASSERT_TRUE(writer.save_last(training));
  EXPECT_TRUE(std::filesystem::exists(folder / "best.ckpt"));
}

TEST(BatchRunner, RunsEveryRowOnceInAnEpoch) {
  const Dataset data = toy_data(40);
  const Graph graph = toy_network();
  ParameterStore store = ParameterStore::from(graph).value();
  BatchRunner runner(data.train, {.batch_size = 7, .seed = 3});
  ASSERT_TRUE(runner.compile(graph, store));
  EXPECT_EQ(runner.batches(), (data.train.rows() + 6) / 7);
  runner.start_epoch(0, 0, BatchRunner::Last::Yes);
  std::vector<float> seen;
  for (std::int64_t batch = 0; batch < runner.batches(); ++batch) {
    const Program& program = *runner.run(batch).value();
    seen.insert(seen.end(), program.inputs().begin(), program.inputs().end());
  }
  const auto x = data.train.x.data<float>();
  std::vector<float> all(x.begin(), x.end());
  std::sort(seen.begin(), seen.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(seen, all);
}

TEST(BatchRunner, ALimitOfBatchesNeedsNoPlanForTheRest) {
  const Dataset data = toy_data(40);
  BatchRunner runner(data.train, {.batch_size = 7, .most_batches = 2});
  EXPECT_EQ(runner.batches(), 2);
}

}  // namespace
}  // namespace chop
