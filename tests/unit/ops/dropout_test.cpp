// Dropout: what its random numbers depend on, how many survive, and the mask it returns.
#include <gtest/gtest.h>

#include "support/call_op.hpp"
#include "support/rng.hpp"

namespace chop::test {
namespace {

const Attrs kTraining = {{"training", true}, {"p", 0.25}};

TEST(Dropout, LeavesItsInputAloneWhenNotTraining) {
  const Tensor x = reals({1, -2, 3});
  const std::vector<Tensor> out = call_op("dropout", {x}, {{"p", 0.9}});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0], x);
}

TEST(Dropout, ScalesWhatItKeeps) {
  const Tensor x = Tensor::full({1000}, 3.0, DType::F64);
  const std::vector<Tensor> out = call_op("dropout", {x}, kTraining, {.seed = 1, .step = 2});
  ASSERT_EQ(out.size(), 2U);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const double mask = out[1].at(i);
    EXPECT_TRUE(mask == 0.0 || mask == 1 / 0.75) << mask;
    EXPECT_EQ(out[0].at(i), 3.0 * mask);
  }
}

TEST(Dropout, DropsTheShareItSays) {
  const Tensor x = Tensor::full({100000}, 1.0, DType::F64);
  double sum = 0;
  for (const double y : list(call_op("dropout", {x}, kTraining)[0])) sum += y;
  EXPECT_NEAR(sum / 100000, 1.0, 0.01);  // five standard deviations are 0.009
}

TEST(Dropout, DrawsByNodeNameSeedAndStep) {
  const Tensor x = Tensor::full({64}, 1.0, DType::F64);
  const auto masks = [&](std::uint64_t seed, std::uint64_t step) {
    return list(call_op("dropout", {x}, kTraining, {.seed = seed, .step = step})[1]);
  };
  EXPECT_EQ(masks(5, 1), masks(5, 1));
  EXPECT_NE(masks(5, 1), masks(5, 2));
  EXPECT_NE(masks(5, 1), masks(6, 1));
  const Stream stream(5, "dropout/call", 1);  // the node is named "call"
  const std::vector<double> mask = masks(5, 1);
  for (std::size_t i = 0; i < mask.size(); ++i) EXPECT_EQ(mask[i] != 0, stream.uniform(i) >= 0.25);
}

TEST(Dropout, WithProbabilityOneKeepsNothing) {
  const std::vector<Tensor> out =
      call_op("dropout", {reals({1, 2})}, {{"training", true}, {"p", 1.0}});
  EXPECT_EQ(list(out[0]), (std::vector<double>{0, 0}));
}

TEST(Dropout, RefusesProbabilitiesOutsideZeroToOne) {
  const Error error = error_of("dropout", {zeros({2})}, {{"p", 1.5}});
  EXPECT_EQ(error.what, "dropout with p=1.5");
  EXPECT_EQ(error.hint, "p is a probability, from 0 to 1");
}

}  // namespace
}  // namespace chop::test
