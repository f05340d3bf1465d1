// Normalisation: which statistics are used, how running ones move, module text, refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "support/call_op.hpp"

namespace chop {
namespace {

using namespace test;  // NOLINT: the vocabulary of these tests

/// One channel of four values: mean 5, biased variance 5, unbiased 20/3.
Tensor four() {
  return reals({4, 1}, {2, 4, 6, 8});
}

Attrs norm(Attrs more = {}) {
  more.insert({{"num_features", std::int64_t{1}}, {"affine", false}});
  return more;
}

TEST(BatchNorm, TrainingNormalisesWithTheBatchAndMovesTheRunningStatistics) {
  const auto out = call_op("batch_norm1d", {four(), reals({1}, {1}), reals({1}, {2})},
                           norm({{"training", true}, {"eps", 4.0}}));
  ASSERT_EQ(out.size(), 5U);
  EXPECT_EQ(list(out[0]), (std::vector<double>{-1, -1.0 / 3, 1.0 / 3, 1}));
  EXPECT_EQ(out[1].at(0), 5);
  EXPECT_EQ(out[2].at(0), 1.0 / 3);  // of the biased variance plus eps
  EXPECT_DOUBLE_EQ(out[3].at(0), 0.9 * 1 + 0.1 * 5);
  EXPECT_DOUBLE_EQ(out[4].at(0), 0.9 * 2 + 0.1 * 20 / 3);  // unbiased
}

TEST(BatchNorm, EvaluationUsesTheRunningStatisticsAndMovesNothing) {
  const auto out =
      call_op("batch_norm1d", {four(), reals({1}, {4}), reals({1}, {0.25})}, norm({{"eps", 0.0}}));
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(list(out[0]), (std::vector<double>{-4, 0, 4, 8}));
  EXPECT_EQ(out[1].at(0), 4);
  EXPECT_EQ(out[2].at(0), 2);
}

TEST(BatchNorm, WithoutRunningStatisticsEvaluationUsesTheBatch) {
  const auto out =
      call_op("batch_norm1d", {four()}, norm({{"track_running_stats", false}, {"eps", 4.0}}));
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(list(out[0]), (std::vector<double>{-1, -1.0 / 3, 1.0 / 3, 1}));
}

TEST(BatchNorm, AnEmptyBatchLeavesTheRunningStatisticsAlone) {
  const auto out = call_op("batch_norm1d", {reals({0, 1}, {}), reals({1}, {1}), reals({1}, {2})},
                           norm({{"training", true}}));
  EXPECT_EQ(out[3].at(0), 1);
  EXPECT_EQ(out[4].at(0), 2);
}

TEST(BatchNorm, TrainingNeedsMoreThanOneValuePerChannel) {
  const Attrs training = norm({{"training", true}, {"track_running_stats", false}});
  EXPECT_EQ(refusal("batch_norm1d", {counting({1, 1})}, training),
            "expected more than 1 value per channel when training, got [1, 1] | use a batch of at "
            "least 2");
  EXPECT_EQ(refusal("batch_norm1d", {counting({1, 1, 1})}, training).substr(0, 8), "expected");
  EXPECT_EQ(refusal("batch_norm1d", {counting({1, 1, 2})}, training), "accepted");
  EXPECT_EQ(refusal("batch_norm1d", {counting({1, 1}), counting({1}), counting({1})}, norm()),
            "accepted");
}

TEST(BatchNorm, OnlyInTrainingDoTheStatisticsTakePartInTheGradient) {
  const std::vector<Tensor> operands = {four(), reals({1}, {4}), reals({1}, {0.25})};
  // A constant added to all of a batch changes nothing, so equal seeds give no gradient.
  for (const double d :
       list(gradients_of("batch_norm1d", operands, norm({{"training", true}})).at("x0")))
    EXPECT_NEAR(d, 0, 1e-12);
  EXPECT_EQ(list(gradients_of("batch_norm1d", operands, norm({{"eps", 0.0}})).at("x0")),
            (std::vector<double>{2, 2, 2, 2}));
}

TEST(BatchNorm, BuffersAreNotTrainedAndStartAsTheStandardNormal) {
  const OpDef& op = *find_op("batch_norm2d").value();
  ASSERT_EQ(op.params.size(), 4U);
  EXPECT_EQ(op.params[2].name, "running_mean");
  EXPECT_EQ(op.params[2].init.kind, InitKind::Zeros);
  EXPECT_FALSE(op.params[2].trainable);
  EXPECT_EQ(op.params[3].name, "running_var");
  EXPECT_EQ(op.params[3].init.kind, InitKind::Ones);
  EXPECT_FALSE(op.params[3].trainable);
}

TEST(BatchNorm, PrintsAsPyTorchDoes) {
  EXPECT_EQ(repr_of("batch_norm1d", {{"num_features", std::int64_t{16}}}),
            "BatchNorm1d(16, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)");
}

TEST(BatchNorm, RefusalsSayWhatWouldWork) {
  const std::vector<Tensor> buffers = {counting({3}), counting({3})};
  const Attrs attrs = {{"num_features", std::int64_t{3}}, {"affine", false}};
  EXPECT_EQ(
      refusal("batch_norm1d", {counting({2, 4}), buffers[0], buffers[1]}, attrs),
      "batch_norm1d with num_features=3 cannot take [2, 4] | dimension 1 of its input must be 3");
  EXPECT_EQ(refusal("batch_norm2d", {counting({2, 3}), buffers[0], buffers[1]}, attrs),
            "batch_norm2d cannot take [2, 3] | its input must be [N, C, H, W]");
  EXPECT_EQ(refusal("batch_norm1d", {counting({3}), buffers[0], buffers[1]}, attrs),
            "batch_norm1d cannot take [3] | its input must be [N, C] or [N, C, L]");
}

TEST(LayerNorm, NormalisesEachRowAndReportsItsStatistics) {
  const auto out =
      call_op("layer_norm", {reals({2, 2, 2}, {2, 4, 6, 8, 3, 3, 3, 3})},
              {{"normalized_shape", Ints{2, 2}}, {"elementwise_affine", false}, {"eps", 4.0}});
  EXPECT_EQ(list(out[0]), (std::vector<double>{-1, -1.0 / 3, 1.0 / 3, 1, 0, 0, 0, 0}));
  EXPECT_EQ(out[1].shape(), (Shape{2, 1, 1}));
  EXPECT_EQ(list(out[1]), (std::vector<double>{5, 3}));
  EXPECT_EQ(list(out[2]), (std::vector<double>{1.0 / 3, 0.5}));
}

TEST(LayerNorm, PrintsAsPyTorchDoesAndRefusesOtherShapes) {
  EXPECT_EQ(repr_of("layer_norm", {{"normalized_shape", std::int64_t{16}}}),
            "LayerNorm((16,), eps=1e-05, elementwise_affine=True)");
  EXPECT_EQ(refusal("layer_norm", {counting({2, 3})},
                    {{"normalized_shape", Ints{4}}, {"elementwise_affine", false}}),
            "layer_norm with normalized_shape=(4,) cannot take [2, 3] | the last dimensions of its "
            "input must be [4]");
}

}  // namespace
}  // namespace chop
