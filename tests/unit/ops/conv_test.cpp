// Convolution: hand-worked numbers, costs, module text, refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "support/call_op.hpp"

namespace chop {
namespace {

using namespace test;  // NOLINT: the vocabulary of these tests

Attrs conv(std::int64_t in, std::int64_t out, Ints kernel, Attrs more = {}) {
  more.insert({{"in_channels", in}, {"out_channels", out}, {"kernel_size", std::move(kernel)}});
  return more;
}

Cost cost_of(std::string_view op, const Attrs& attrs, const std::vector<TensorType>& in) {
  const OpDef& def = *find_op(op).value();
  const auto out = def.infer({{def, attrs}, in}).value();
  return def.cost({{{def, attrs}, in}, out});
}

TEST(Conv, CorrelatesWithoutFlippingTheKernel) {
  const auto y = call_op(
      "conv1d", {reals({1, 1, 4}, {1, 2, 3, 4}), reals({1, 1, 2}, {10, 1}), reals({1}, {0.5})},
      conv(1, 1, {2}));
  EXPECT_EQ(list(y[0]), (std::vector<double>{12.5, 23.5, 34.5}));
}

TEST(Conv, DilationSpreadsTapsAndPaddingAddsZeros) {
  const auto y =
      call_op("conv1d", {reals({1, 1, 4}, {1, 2, 3, 4}), reals({1, 1, 2}, {10, 1})},
              conv(1, 1, {2}, {{"padding", Ints{1}}, {"dilation", Ints{3}}, {"bias", false}}));
  EXPECT_EQ(list(y[0]), (std::vector<double>{3, 14, 20}));
}

TEST(Conv, EachGroupSeesItsOwnChannels) {
  const auto y = call_op("conv1d", {reals({1, 2, 1}, {3, 5}), reals({4, 1, 1}, {1, 10, 100, 1000})},
                         conv(2, 4, {1}, {{"groups", std::int64_t{2}}, {"bias", false}}));
  EXPECT_EQ(list(y[0]), (std::vector<double>{3, 30, 500, 5000}));
}

TEST(Conv, TakesAnInputWithoutBatchAndAnEmptyBatch) {
  const Tensor w = counting({1, 1, 2, 2});
  const Attrs attrs = conv(1, 1, {2}, {{"bias", false}});
  EXPECT_EQ(call_op("conv2d", {counting({1, 3, 3}), w}, attrs)[0].shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(call_op("conv2d", {counting({0, 1, 3, 3}), w}, attrs)[0].shape(), (Shape{0, 1, 2, 2}));
}

TEST(Conv, CountsOneOperationPerMultiplyAccumulate) {
  const Attrs attrs = conv(4, 8, {3}, {{"padding", Ints{1}}, {"groups", std::int64_t{2}}});
  const std::vector<TensorType> in = {
      {DType::F32, {2, 4, 5, 6}}, {DType::F32, {8, 2, 3, 3}}, {DType::F32, {8}}};
  const std::int64_t outputs = 2 * 8 * 5 * 6;
  const Cost cost = cost_of("conv2d", attrs, in);
  EXPECT_EQ(cost.macs, outputs * 9 * 2);
  EXPECT_EQ(cost.lab, outputs * 9 * 2);
  EXPECT_EQ(cost.exact, outputs * (18 + 17 + 1));
  EXPECT_EQ(cost.backward, 2 * cost.lab);
}

TEST(Conv, PrintsAsPyTorchDoes) {
  EXPECT_EQ(repr_of("conv2d", conv(3, 8, {3}, {{"padding", std::int64_t{1}}, {"bias", false}})),
            "Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), bias=False)");
  EXPECT_EQ(
      repr_of("conv1d",
              conv(3, 6, {3},
                   {{"stride", Ints{2}}, {"dilation", Ints{2}}, {"groups", std::int64_t{3}}})),
      "Conv1d(3, 6, kernel_size=(3,), stride=(2,), dilation=(2,), groups=3)");
}

TEST(Conv, StartsWithinOneOverTheRootOfTheFanIn) {
  const OpDef& op = *find_op("conv2d").value();
  const Attrs attrs = conv(8, 4, {2, 4}, {{"groups", std::int64_t{2}}});
  EXPECT_EQ(op.params[0].shape({op, attrs}), (Shape{4, 4, 2, 4}));
  EXPECT_DOUBLE_EQ(op.params[0].init.scale({op, attrs}), 1 / std::sqrt(32.0));
  EXPECT_DOUBLE_EQ(op.params[1].init.scale({op, attrs}), 1 / std::sqrt(32.0));
}

TEST(Conv, RefusalsSayWhatWouldWork) {
  const Tensor w = counting({1, 1, 2, 2});
  const Attrs plain = conv(1, 1, {2}, {{"bias", false}});
  EXPECT_EQ(refusal("conv2d", {counting({2, 2}), w}, plain),
            "conv2d cannot take [2, 2] | its input must be [N, C, H, W] or [C, H, W]");
  EXPECT_EQ(
      refusal("conv2d", {counting({1, 3, 4, 4}), w}, plain),
      "conv2d with in_channels=1 cannot take [1, 3, 4, 4] | dimension 1 of its input must be 1");
  EXPECT_EQ(
      refusal("conv2d", {counting({1, 1, 1, 4}), w}, plain),
      "conv2d: the kernel spans 2 elements, the padded input has 1 | use a smaller kernel, less "
      "dilation or more padding");
  EXPECT_EQ(refusal("conv2d", {counting({1, 1, 4, 4}), w},
                    conv(1, 1, {2}, {{"bias", false}, {"stride", Ints{0}}})),
            "conv2d cannot have stride=(0,) | give one number or two, at least 1");
  EXPECT_EQ(
      refusal("conv2d", {counting({1, 1, 4, 4}), w}, conv(1, 1, {2, 2, 2}, {{"bias", false}})),
      "conv2d cannot have kernel_size=(2, 2, 2) | give one number or two, at least 1");
  EXPECT_EQ(refusal("conv2d", {counting({1, 4, 2, 2}), counting({6, 1, 1, 1})},
                    conv(4, 6, {1}, {{"groups", std::int64_t{3}}, {"bias", false}})),
            "conv2d cannot split in_channels=4 into 3 groups | groups must divide in_channels and "
            "out_channels");
  EXPECT_EQ(refusal("conv2d", {counting({1, 1, 4, 4}), w},
                    conv(1, 1, {2}, {{"groups", std::int64_t{0}}, {"bias", false}})),
            "conv2d cannot have groups=0 | groups must be at least 1");
  EXPECT_EQ(refusal("conv2d", {counting({1, 1, 4, 4}), counting({1, 1, 3, 3})}, plain),
            "conv2d needs a weight of shape [1, 1, 2, 2], got [1, 1, 3, 3]");
  EXPECT_EQ(refusal("conv2d", {whole({1, 1, 2, 2}, {1, 2, 3, 4}), w}, plain),
            "conv2d takes real numbers, got i64 | give it a tensor of f32");
}

}  // namespace
}  // namespace chop
