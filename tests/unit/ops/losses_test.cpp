// cross_entropy and mse_loss: ignored and impossible targets, extremes, error messages.
#include <gtest/gtest.h>

#include <cmath>

#include "support/call_op.hpp"

namespace chop::test {
namespace {

Tensor targets(std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

TEST(CrossEntropy, KeepsTheProbabilities) {
  const Tensor logits = Tensor::of<double>({1, 2}, {std::log(3.0), 0.0});
  const std::vector<Tensor> out = call_op("cross_entropy", {logits, targets({1})});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].shape(), Shape{});
  EXPECT_NEAR(out[0].at(0), std::log(4.0), 1e-15);
  EXPECT_NEAR(out[1].at(0), 0.75, 1e-15);
}

TEST(CrossEntropy, DoesNotCountIgnoredRows) {
  const Tensor logits = Tensor::of<double>({2, 2}, {0, 0, 5, 1});
  EXPECT_NEAR(call_op("cross_entropy", {logits, targets({0, -100})})[0].at(0), std::log(2.0),
              1e-15);
  const std::vector<double> slope = list(slope_of("cross_entropy", {logits, targets({0, -100})}));
  EXPECT_EQ(slope, (std::vector<double>{-0.5, 0.5, 0, 0}));
}

TEST(CrossEntropy, OfIgnoredRowsAloneIsNotANumberAsInPyTorch) {
  const Tensor logits = Tensor::of<double>({1, 2}, {1, 2});
  EXPECT_TRUE(std::isnan(call_op("cross_entropy", {logits, targets({-100})})[0].at(0)));
  EXPECT_EQ(list(slope_of("cross_entropy", {logits, targets({-100})})),
            (std::vector<double>{0, 0}));
}

TEST(CrossEntropy, SurvivesHugeLogits) {
  const Tensor logits = Tensor::of<double>({1, 2}, {-1e300, 1e300});
  EXPECT_EQ(call_op("cross_entropy", {logits, targets({0})})[0].at(0), 2e300);
  EXPECT_EQ(call_op("cross_entropy", {logits, targets({1})})[0].at(0), 0.0);
}

TEST(CrossEntropy, SaysWhichTargetsTheLogitsNeed) {
  Error error = error_of("cross_entropy", {zeros({4, 3, 2}), Tensor(DType::I64, {4})});
  EXPECT_EQ(error.what, "cross_entropy cannot take logits [4, 3, 2] and targets [4]");
  EXPECT_EQ(error.hint, "these logits need targets [4, 2]");
  error = error_of("cross_entropy", {zeros({4, 3}), zeros({4, 3})});
  EXPECT_EQ(error.what, "cross_entropy given f32 logits and f32 targets");
  EXPECT_EQ(error.hint, "logits are real numbers, targets class numbers in i64");
}

TEST(CrossEntropy, RefusesSettingsItDoesNotHave) {
  Error error = error_of("cross_entropy", {zeros({4, 3}), Tensor(DType::I64, {4})},
                         {{"reduction", std::string("none")}});
  EXPECT_EQ(error.what, "cross_entropy with reduction='none'");
  EXPECT_EQ(error.hint, "reduction is one of mean, sum");
  error = error_of("cross_entropy", {zeros({4, 3}), Tensor(DType::I64, {4})},
                   {{"label_smoothing", 1.5}});
  EXPECT_EQ(error.what, "cross_entropy with label_smoothing=1.5");
  EXPECT_EQ(error.hint, "label_smoothing is a number from 0 to 1");
}

TEST(MseLoss, RefusesToBroadcast) {
  const Error error = error_of("mse_loss", {zeros({4, 1}), zeros({4})});
  EXPECT_EQ(error.what, "mse_loss of [4, 1] against targets [4]");
  EXPECT_EQ(error.hint,
            "both need the same shape; broadcasting would compare what does not belong together");
}

}  // namespace
}  // namespace chop::test
