// A training that was stopped and resumed writes the files of one that never stopped, byte
// for byte; what cannot be resumed is an error.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/system/files.hpp"
#include "train/trainer.hpp"
#include "unit/io/temp_folder.hpp"
#include "unit/train/networks.hpp"

namespace chop {
namespace {

using testing::TempFolder;

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Files {
  std::string last;
  std::string best;
};

Files files_of(const TempFolder& folder) {
  return {contents(folder / "last.ckpt"), contents(folder / "best.ckpt")};
}

/// An experiment that can be run whole, or stopped after some step and resumed.
struct Experiment {
  Graph graph = test::toy_network();
  Dataset data = test::toy_data(70);  // batches of 16, 16, 16, 16 and 6
  TrainOptions options = {.max_epochs = 3, .batch_size = 16, .settings = {.learning_rate = 0.02}};

  Result<TrainOutcome> run(const TempFolder& folder, std::int64_t stop_after = -1,
                           bool resume = false) const {
    TrainOptions here = options;
    here.checkpoints = folder.path();
    here.log_every_n_steps = 1;
    std::int64_t step = 0;
    TrainObserver observer;
    observer.on_step = [&step](const StepMetrics& m) { step = m.step; };
    observer.stop_requested = [&step, stop_after] { return step == stop_after; };
    if (!resume) return train_network(graph, data, here, observer);
    CH_TRY(const Checkpoint from, load_checkpoint(folder / "last.ckpt"));
    return train_network(graph, data, here, observer, &from);
  }

  /// Stops after each of the given steps in turn and compares with the whole run.
  void check(const std::vector<std::int64_t>& stops) const {
    const TempFolder whole_folder;
    const TrainOutcome whole = run(whole_folder).value();
    const Files wanted = files_of(whole_folder);
    for (const std::int64_t stop : stops) {
      const TempFolder folder;
      const TrainOutcome part = run(folder, stop).value();
      EXPECT_EQ(part.ending, Ending::Interrupted) << stop;
      EXPECT_EQ(part.steps, stop);
      auto rest = run(folder, -1, /*resume=*/true);
      ASSERT_TRUE(rest) << to_string(rest.error());
      EXPECT_EQ(rest.value().ending, whole.ending);
      EXPECT_EQ(rest.value().steps, whole.steps);
      EXPECT_TRUE(rest.value().last == whole.last) << stop;
      EXPECT_TRUE(rest.value().best == whole.best) << stop;
      const Files got = files_of(folder);
      EXPECT_TRUE(got.last == wanted.last) << "last.ckpt after a stop at step " << stop;
      EXPECT_TRUE(got.best == wanted.best) << "best.ckpt after a stop at step " << stop;
    }
  }
};

TEST(Resume, GivesTheSameFilesWhereverTheRunWasStopped) {
  Experiment{}.check({1, 2, 4, 5, 6, 9, 10, 11, 14});
}

TEST(Resume, GivesTheSameFilesWithDropoutAndBatchNorm) {
  Experiment e;
  e.graph = test::noisy_network();
  e.check({1, 5, 7, 10, 14});
}

TEST(Resume, GivesTheSameFilesWithNeuronsOfFewInputs) {
  Experiment e;
  e.graph = test::sparse_network();
  e.options.optimiser = "adamw";
  e.options.settings.weight_decay = 0.01;
  e.check({1, 5, 8});
}

TEST(Resume, GivesTheSameFilesWithConvolutionsOnTwoThreads) {
  Experiment e;
  e.graph = test::conv_network();
  e.options.threads = 2;
  e.check({3, 5, 12});
}

TEST(Resume, GivesTheSameFilesWhenGradientsAreAccumulated) {
  Experiment e;
  e.graph = test::noisy_network();
  e.options.accumulate_grad_batches = 3;  // two steps an epoch: of three batches and of two
  e.check({1, 2, 3, 4, 5});
}

TEST(Resume, GivesTheSameFilesWithSgdAndAdamw) {
  Experiment e;
  e.options.optimiser = "sgd";
  e.options.settings.weight_decay = 0.01;
  e.check({1, 5, 8});
  e.options.optimiser = "adamw";
  e.check({1, 5, 8});
}

TEST(Resume, GivesTheSameFilesWhenOneBatchIsAnEpoch) {
  Experiment e;
  e.options.batch_size = 128;
  e.check({1, 2});
}

TEST(Resume, GivesTheSameFilesUpToTheStepsAllowed) {
  Experiment e;
  e.options.max_steps = 7;  // in the middle of the second epoch
  e.check({1, 4, 5, 6});
}

TEST(Resume, CompletesARunStoppedAtTheLastStepAllowed) {
  Experiment e;
  e.options.max_steps = 7;
  const TempFolder folder;
  const TrainOutcome outcome = e.run(folder, /*stop_after=*/7).value();
  EXPECT_EQ(outcome.ending, Ending::Completed);
  EXPECT_EQ(outcome.history.size(), 2u);
}

TEST(Resume, GivesTheSameFilesWhenPatienceEndsTheRun) {
  Experiment e;
  e.options.max_epochs = 10;
  e.options.settings.learning_rate = 0;
  e.options.patience = 2;
  e.check({1, 6, 10, 11});
}

TEST(Resume, SurvivesManyStops) {
  const Experiment e;
  const TempFolder whole_folder;
  static_cast<void>(e.run(whole_folder).value());
  const TempFolder folder;
  static_cast<void>(e.run(folder, 1).value());
  for (std::int64_t stop = 2; stop < 15; ++stop)
    EXPECT_EQ(e.run(folder, stop, true).value().steps, stop);
  static_cast<void>(e.run(folder, -1, true).value());
  EXPECT_TRUE(files_of(folder).last == files_of(whole_folder).last);
  EXPECT_TRUE(files_of(folder).best == files_of(whole_folder).best);
}

TEST(Resume, KeepsTheHistory) {
  const Experiment e;
  const TempFolder whole_folder;
  const auto whole = e.run(whole_folder).value().history;
  const TempFolder folder;
  EXPECT_EQ(e.run(folder, 7).value().history.size(), 1u);
  const auto resumed = e.run(folder, -1, true).value().history;
  ASSERT_EQ(resumed.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(resumed[i].epoch, whole[i].epoch);
    EXPECT_EQ(resumed[i].step, whole[i].step);
    EXPECT_EQ(resumed[i].learning_rate, whole[i].learning_rate);
    EXPECT_EQ(resumed[i].train_loss, whole[i].train_loss);
    EXPECT_EQ(resumed[i].train_accuracy, whole[i].train_accuracy);
    EXPECT_EQ(resumed[i].validation_loss, whole[i].validation_loss);
    EXPECT_EQ(resumed[i].validation_accuracy, whole[i].validation_accuracy);
  }
}

TEST(Resume, OfAFinishedRunChangesNothing) {
  const Experiment e;
  const TempFolder folder;
  const TrainOutcome whole = e.run(folder).value();
  const Files before = files_of(folder);
  const TrainOutcome again = e.run(folder, -1, true).value();
  EXPECT_EQ(again.steps, whole.steps);
  EXPECT_TRUE(again.best == whole.best);
  EXPECT_EQ(again.history.size(), 3u);
  EXPECT_TRUE(files_of(folder).last == before.last);
}

TEST(Resume, WithOtherSettingsListsTheDifferences) {
  Experiment e;
  const TempFolder folder;
  static_cast<void>(e.run(folder, 2).value());
  e.options.batch_size = 32;
  e.options.settings.learning_rate = 0.5;
  e.options.optimiser = "adamw";
  e.options.most_batches = 2;
  const auto outcome = e.run(folder, -1, true);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "cannot resume: the interrupted run had other settings");
  EXPECT_EQ(
      outcome.error().notes,
      (std::vector<std::string>{
          "batch_size was 16, is now 32", "batches per epoch was all, is now 2",
          "learning_rate was 0.02, is now 0.5", "training_optimizer was adam, is now adamw"}));
  EXPECT_EQ(outcome.error().hint,
            "resume with the settings of that run, or use --load to start from its weights");
}

TEST(Resume, WithMoreStepsAllowedIsAnErrorForTheEpochWasCutShort) {
  Experiment e;
  e.options.max_steps = 7;
  const TempFolder folder;
  static_cast<void>(e.run(folder).value());
  e.options.max_steps = 12;
  EXPECT_EQ(e.run(folder, -1, true).error().notes,
            std::vector<std::string>{"max_steps was 7, is now 12"});
}

TEST(Resume, OfAnotherNetworkIsAnError) {
  Experiment e;
  const TempFolder folder;
  static_cast<void>(e.run(folder, 2).value());
  e.graph = test::conv_network();
  const auto outcome = e.run(folder, -1, true);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "the checkpoint is of another network ('toy') than 'conv'");
}

TEST(Resume, FromBestWeightsSaysWhatToUseInstead) {
  const Experiment e;
  const TempFolder folder;
  static_cast<void>(e.run(folder).value());
  const Checkpoint best = load_checkpoint(folder / "best.ckpt").value();
  const auto outcome = train_network(e.graph, e.data, e.options, {}, &best);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "the checkpoint is not one of an interrupted training");
  EXPECT_EQ(outcome.error().hint, "--resume needs last.ckpt; use --load to start from its weights");
}

TEST(Resume, WithADamagedRecordIsAnErrorAndNoCrash) {
  const Experiment e;
  const TempFolder folder;
  static_cast<void>(e.run(folder, 7).value());
  const Checkpoint good = load_checkpoint(folder / "last.ckpt").value();
  const auto with = [&](const std::string& from, const std::string& to) {
    Checkpoint bad = good;
    std::string& record = bad.info.at("chop.trainer");
    const std::size_t at = record.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in " << record;
    record.replace(at, from.size(), to);
    const auto outcome = train_network(e.graph, e.data, e.options, {}, &bad);
    return outcome ? std::string("accepted") : outcome.error().what;
  };
  const std::string huge = "9223372036854775807";
  const std::string too_many =
      "the checkpoint counts more batches, steps or rows than its epochs have";
  EXPECT_EQ(with("\"batch\":2", "\"batch\":" + huge), too_many);
  EXPECT_EQ(with("\"step\":7", "\"step\":" + huge), too_many);
  EXPECT_EQ(with("\"rows\":32", "\"rows\":" + huge), too_many);
  EXPECT_EQ(with("\"epoch\":1", "\"epoch\":" + huge),
            "the checkpoint's record of the training is damaged: " + huge +
                " epochs, but a history of 1");
  EXPECT_EQ(with("\"epoch\":1", "\"epoch\":-1"),
            "the checkpoint's record of the training is damaged: negative counters");
  EXPECT_EQ(with("{", "["), "the checkpoint's record of the training is damaged: not readable");
}

TEST(Resume, WithoutAnOptimisersOrBestTensorsIsAnError) {
  const Experiment e;
  const TempFolder folder;
  static_cast<void>(e.run(folder, 7).value());
  const Checkpoint good = load_checkpoint(folder / "last.ckpt").value();
  const auto without = [&](const std::string& name) {
    Checkpoint bad = good;
    std::erase_if(bad.extra, [&](const auto& named) { return named.first == name; });
    EXPECT_EQ(bad.extra.size() + 1, good.extra.size()) << name;
    const auto outcome = train_network(e.graph, e.data, e.options, {}, &bad);
    return outcome ? std::string("accepted") : outcome.error().what;
  };
  for (const std::string name : {"optimizer/exp_avg/seq_blocks.0.weight", "best/seq_blocks.4.bias"})
    EXPECT_EQ(without(name), cat("the checkpoint holds no usable '", name, "'"));
}

}  // namespace
}  // namespace chop
