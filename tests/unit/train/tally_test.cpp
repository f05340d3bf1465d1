// Loss, accuracy and confusion added up batch by batch.
#include "train/tally.hpp"

#include <gtest/gtest.h>

#include "unit/train/networks.hpp"

namespace chop {
namespace {

/// Two classes whose logits are the features.
class TallyTest : public ::testing::Test {
 protected:
  /// A program that has run the given rows.
  Program ran(const std::vector<float>& x, const std::vector<std::int64_t>& y) {
    Program program = Program::evaluation(graph_, static_cast<std::int64_t>(y.size()), 1).value();
    std::copy(x.begin(), x.end(), program.inputs().begin());
    std::copy(y.begin(), y.end(), program.targets().begin());
    EXPECT_TRUE(program.run());
    return program;
  }

  Graph graph_ = test::linear_network({2}, 2, {1, 0, 0, 1});
};

TEST_F(TallyTest, WeighsBatchesByTheirRows) {
  const Program three = ran({1, 0, 0, 1, 1, 0}, {0, 1, 1});
  const Program one = ran({0, 5}, {1});
  Tally tally(2, 1, 2, Confusion::Yes);
  tally.add(0, 0, three);
  EXPECT_EQ(tally.total().rows, 3);
  tally.add(1, 0, one);
  const Metrics metrics = tally.total();
  EXPECT_EQ(metrics.rows, 4);
  EXPECT_EQ(metrics.correct, 3);
  EXPECT_EQ(metrics.loss, (three.loss() * 3 + one.loss()) / 4);
  EXPECT_EQ(metrics.confusion, (std::vector<std::int64_t>{1, 0, 1, 2}));
}

TEST_F(TallyTest, DoesNotDependOnTheOrderOrTheLanes) {
  const Program a = ran({0.1F, 0.7F}, {0});
  const Program b = ran({0.3F, 1e-8F}, {1});
  const Program c = ran({5.0F, 1.0F}, {1});
  Tally forward(3, 1, 2, Confusion::Yes);
  forward.add(0, 0, a);
  forward.add(1, 0, b);
  forward.add(2, 0, c);
  Tally backward(3, 2, 2, Confusion::Yes);
  backward.add(2, 1, c);
  backward.add(1, 0, b);
  backward.add(0, 1, a);
  EXPECT_EQ(forward.total().loss, backward.total().loss);
  EXPECT_EQ(forward.total().confusion, backward.total().confusion);
}

TEST_F(TallyTest, ConfusionIsCountedWhereItIsAskedFor) {
  Tally tally(1, 1, 2, Confusion::No);
  tally.add(0, 0, ran({1, 0}, {0}));
  EXPECT_TRUE(tally.total().confusion.empty());
}

TEST_F(TallyTest, NoBatchesAreNoRows) {
  const Metrics metrics = Tally(3, 1, 2, Confusion::No).total();
  EXPECT_EQ(metrics.rows, 0);
  EXPECT_EQ(metrics.loss, 0);
  EXPECT_EQ(metrics.classes, 2);
}

}  // namespace
}  // namespace chop
