// Pooling: which windows exist, what they see, ties, NaN, module text, refusals. The numbers
// are PyTorch 1.13's.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/call_op.hpp"

namespace chop {
namespace {

using namespace test;  // NOLINT: the vocabulary of these tests

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Shape pooled(const std::string& op, Attrs attrs, Shape x) {
  return call_op(op, {counting(std::move(x))}, std::move(attrs))[0].shape();
}

TEST(Pool, CeilModeKeepsALastWindowThatStartsInsideTheInput) {
  EXPECT_EQ(pooled("max_pool1d", {{"kernel_size", Ints{2}}}, {1, 1, 5}), (Shape{1, 1, 2}));
  EXPECT_EQ(pooled("max_pool1d", {{"kernel_size", Ints{2}}, {"ceil_mode", true}}, {1, 1, 5}),
            (Shape{1, 1, 3}));
}

TEST(Pool, CeilModeDropsALastWindowThatStartsBehindTheInput) {
  // Rounding up asks for windows at 0, 3 and 6, but 6 lies behind an input of 6.
  EXPECT_EQ(pooled("max_pool1d",
                   {{"kernel_size", Ints{1}}, {"stride", Ints{3}}, {"ceil_mode", true}}, {1, 1, 6}),
            (Shape{1, 1, 2}));
  // With padding, windows start at -1, 1, 3 and 5; one starting at 5 would see padding only.
  EXPECT_EQ(pooled("avg_pool1d",
                   {{"kernel_size", Ints{2}},
                    {"stride", Ints{2}},
                    {"padding", Ints{1}},
                    {"ceil_mode", true}},
                   {1, 1, 5}),
            (Shape{1, 1, 3}));
}

TEST(Pool, WhatCeilModeAddsBehindThePaddingIsNotCounted) {
  const Attrs attrs = {
      {"kernel_size", Ints{3}}, {"stride", Ints{2}}, {"padding", Ints{1}}, {"ceil_mode", true}};
  const Tensor x = reals({1, 1, 4}, {6, 12, 18, 24});
  // Windows: pad 6 12 | 12 18 24 | 24 pad and one place beyond, which does not count.
  EXPECT_EQ(list(call_op("avg_pool1d", {x}, attrs)[0]), (std::vector<double>{6, 18, 12}));
  Attrs values_only = attrs;
  values_only["count_include_pad"] = false;
  EXPECT_EQ(list(call_op("avg_pool1d", {x}, values_only)[0]), (std::vector<double>{9, 18, 24}));
}

TEST(Pool, TheFirstOfEqualMaximaGetsTheGradient) {
  const auto d = gradients_of("max_pool2d", {reals({1, 1, 2, 4}, {7, 7, 0, 5, 7, 7, 5, 5})},
                              {{"kernel_size", Ints{2}}});
  EXPECT_EQ(list(d.at("x0")), (std::vector<double>{1, 0, 0, 1, 0, 0, 0, 0}));
}

TEST(Pool, OverlappingWindowsAddTheirGradients) {
  const auto d = gradients_of("max_pool1d", {reals({1, 1, 3}, {1, 9, 2})},
                              {{"kernel_size", Ints{2}}, {"stride", Ints{1}}});
  EXPECT_EQ(list(d.at("x0")), (std::vector<double>{0, 2, 0}));
}

TEST(Pool, NaNIsLargerThanEverythingAndTheLastOneGetsTheGradient) {
  const Tensor x = reals({1, 1, 4}, {1, kNaN, kInfinity, kNaN});
  EXPECT_TRUE(std::isnan(call_op("max_pool1d", {x}, {{"kernel_size", Ints{4}}})[0].at(0)));
  EXPECT_EQ(list(gradients_of("max_pool1d", {x}, {{"kernel_size", Ints{4}}}).at("x0")),
            (std::vector<double>{0, 0, 0, 1}));
}

TEST(Pool, MinusInfinityIsAValueLikeAnyOther) {
  const Tensor x = reals({1, 1, 2}, {-kInfinity, -kInfinity});
  EXPECT_EQ(call_op("max_pool1d", {x}, {{"kernel_size", Ints{2}}})[0].at(0), -kInfinity);
  EXPECT_EQ(list(gradients_of("max_pool1d", {x}, {{"kernel_size", Ints{2}}}).at("x0")),
            (std::vector<double>{1, 0}));
}

TEST(Pool, AWindowThatSeesOnlyPaddingYieldsMinusInfinityAndNoGradient) {
  const Attrs attrs = {{"kernel_size", Ints{2}},
                       {"stride", Ints{1}},
                       {"padding", Ints{1}},
                       {"dilation", Ints{2}}};  // taps at -1 and 1 of a single element
  const Tensor x = reals({1, 1, 1}, {5});
  EXPECT_EQ(list(call_op("max_pool1d", {x}, attrs)[0]), std::vector<double>{-kInfinity});
  EXPECT_EQ(list(gradients_of("max_pool1d", {x}, attrs).at("x0")), std::vector<double>{0});
}

TEST(Pool, AdaptivePatchesOverlapWhenTheSizesDoNotDivide) {
  const Tensor x = reals({1, 1, 5}, {1, 2, 3, 4, 5});
  EXPECT_EQ(list(call_op("adaptive_avg_pool1d", {x}, {{"output_size", Ints{3}}})[0]),
            (std::vector<double>{1.5, 3, 4.5}));
  EXPECT_EQ(list(call_op("adaptive_avg_pool1d", {x}, {{"output_size", Ints{2}}})[0]),
            (std::vector<double>{2, 4}));
}

TEST(Pool, PrintsAsPyTorchDoes) {
  EXPECT_EQ(repr_of("max_pool2d", {{"kernel_size", Ints{3, 2}}, {"stride", std::int64_t{2}}}),
            "MaxPool2d(kernel_size=(3, 2), stride=2, padding=0, dilation=1, ceil_mode=False)");
  EXPECT_EQ(repr_of("avg_pool1d", {{"kernel_size", std::int64_t{2}}}),
            "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))");
  EXPECT_EQ(repr_of("avg_pool2d", {{"kernel_size", std::int64_t{2}}}),
            "AvgPool2d(kernel_size=2, stride=2, padding=0)");
  EXPECT_EQ(repr_of("adaptive_avg_pool2d", {{"output_size", Ints{1, 1}}}),
            "AdaptiveAvgPool2d(output_size=(1, 1))");
}

TEST(Pool, RefusalsSayWhatWouldWork) {
  const Tensor x = counting({1, 1, 2, 2});
  EXPECT_EQ(refusal("max_pool2d", {x}, {{"kernel_size", Ints{3}}}),
            "max_pool2d: a window of 3 x 3 does not fit an input of 2 x 2 | use a smaller kernel, "
            "less dilation or more padding");
  EXPECT_EQ(refusal("avg_pool2d", {x}, {{"kernel_size", Ints{3}}, {"padding", Ints{2}}}),
            "avg_pool2d: padding 2 x 2 is more than half the kernel 3 x 3 | padding may be at most "
            "half of kernel_size");
  EXPECT_EQ(refusal("max_pool1d", {x}, {{"kernel_size", Ints{2}}}),
            "max_pool1d cannot take [1, 1, 2, 2] | its input must be [N, C, L] or [C, L]");
  EXPECT_EQ(refusal("max_pool2d", {counting({1, 0, 2, 2})}, {{"kernel_size", Ints{2}}}),
            "max_pool2d cannot take [1, 0, 2, 2] | only the batch may be empty");
  EXPECT_EQ(
      refusal("adaptive_avg_pool2d", {x}, {{"output_size", Ints{-1}}}),
      "adaptive_avg_pool2d cannot have output_size=(-1,) | give one number or two, at least 0");
  EXPECT_EQ(refusal("max_pool2d", {x}, {{"kernel_size", Ints{}}}),
            "max_pool2d cannot have kernel_size=() | give one number or two, at least 1");
}

}  // namespace
}  // namespace chop
