#include "cli/views/sweep_report.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

SweepRun run_with(const char* rate, const char* seed, double accuracy, Ending ending) {
  SweepRun run{.settings = {{"learning_rate", rate}, {"seed", seed}}, .axes = 2};
  TrainOutcome& outcome = run.outcome.emplace();
  outcome.best_epoch = 0;
  outcome.history = {{.epoch = 0, .validation_accuracy = accuracy}};
  outcome.ending = ending;
  return run;
}

TEST(SeedsTable, CountsRunsThatFinished) {
  SweepRun failed{.settings = {{"learning_rate", "1e30"}, {"seed", "0"}}, .axes = 2};
  failed.failure = Error{.what = "the loss is not a number"};
  const std::vector<SweepRun> runs = {run_with("0.1", "0", 0.5, Ending::Completed),
                                      run_with("0.1", "1", 0.7, Ending::EarlyStopped),
                                      run_with("0.1", "2", 0.1, Ending::Interrupted), failed};
  const Tree rows = tree_of(seeds_table(runs, Reader::Program));
  ASSERT_EQ(rows.size(), 1U) << "there is nothing to say of a rate without a finished run";
  EXPECT_EQ(rows[0]["learning_rate"], Tree(0.1));
  EXPECT_EQ(rows[0]["seeds"], Tree(2));
  EXPECT_DOUBLE_EQ(rows[0]["val_acc"].number(), 0.6);
}

TEST(SeedsTable, IsEmptyWhereNoRunFinished) {
  const std::vector<SweepRun> runs = {run_with("0.1", "0", 0.5, Ending::Interrupted)};
  EXPECT_TRUE(seeds_table(runs, Reader::Person).rows.empty());
}

}  // namespace
}  // namespace chop
