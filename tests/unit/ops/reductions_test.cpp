// Reductions where samples do not reach: ties, NaN, infinities, nothing at all, whole numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/call_op.hpp"

namespace chop::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Reals = std::vector<double>;

Tensor whole(std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

TEST(Extreme, SharesItsGradientAmongTies) {
  EXPECT_EQ(list(slope_of("amax", {reals({1, 3, 3, 2})})), (Reals{0, 0.5, 0.5, 0}));
  EXPECT_EQ(list(slope_of("amin", {reals({1, 1, 1, 2})})), (Reals{1. / 3, 1. / 3, 1. / 3, 0}));
}

TEST(Extreme, IsNanWhereverThereIsOne) {
  for (const char* op : {"amax", "amin"}) {
    EXPECT_TRUE(std::isnan(call_op(op, {reals({1, kNan, 2})})[0].at(0))) << op;
    EXPECT_TRUE(std::isnan(call_op(op, {reals({kNan, kInf, -kInf})})[0].at(0))) << op;
  }
}

TEST(Extreme, OfNothingIsRefused) {
  EXPECT_EQ(error_of("amax", {zeros({0, 3})}).what, "amax of nothing: x has shape [0, 3]");
  EXPECT_EQ(shape_of("amax", {zeros({0, 3})}, {{"dim", Ints{1}}}), Shape{0});
  EXPECT_EQ(error_of("argmin", {zeros({0, 3})}).what,
            "argmin along dimension 0 of [0, 3], which is empty");
}

TEST(Argmax, IsTheFirstOfEqualOnesUnlessTheLastIsWanted) {
  const auto place = [](const std::string& op, const Tensor& x, bool last) {
    return call_op(op, {x}, {{"select_last", last}})[0].at(0);
  };
  const Tensor ties = reals({0, 2, 2, 0});
  EXPECT_EQ(place("argmax", ties, false), 1);
  EXPECT_EQ(place("argmax", ties, true), 2);
  EXPECT_EQ(place("argmin", ties, false), 0);
  EXPECT_EQ(place("argmin", ties, true), 3);
  EXPECT_EQ(place("argmax", reals({1, kNan, kInf, kNan}), false), 1);
  EXPECT_EQ(place("argmin", reals({1, kNan, kInf, kNan}), true), 3);
  EXPECT_EQ(error_of("argmax", {zeros({2})}, {{"dim", std::int64_t{2}}}).what,
            "dimension 2 is outside a tensor of rank 1");
}

TEST(Product, HasTheRightGradientBesideZeros) {
  EXPECT_EQ(list(slope_of("prod", {reals({2, 0, 5})})), (Reals{0, 10, 0}));
  EXPECT_EQ(list(slope_of("prod", {reals({0, 0, 5})})), (Reals{0, 0, 0}));
  EXPECT_EQ(call_op("prod", {zeros({0})})[0].at(0), 1);
}

TEST(LogSumExp, NeitherOverflowsNorTurnsInfinitiesIntoNan) {
  EXPECT_DOUBLE_EQ(call_op("logsumexp", {reals({1000, 1000})})[0].at(0), 1000 + std::log(2.0));
  EXPECT_EQ(call_op("logsumexp", {reals({-kInf, -kInf})})[0].at(0), -kInf);
  EXPECT_EQ(call_op("logsumexp", {reals({kInf, 0})})[0].at(0), kInf);
  EXPECT_TRUE(std::isnan(call_op("logsumexp", {reals({kNan, 0})})[0].at(0)));
  EXPECT_EQ(call_op("logsumexp", {zeros({0})})[0].at(0), -kInf);
}

TEST(Sum, OfWholeNumbersIsExactAndWraps) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(call_op("sum", {whole({large, 2})})[0].data<std::int64_t>()[0], large + 2);
  EXPECT_EQ(call_op("sum", {whole({200, 100}).to(DType::U8)})[0].at(0), 44);
  EXPECT_EQ(error_of("sum", {Tensor(DType::Bool, {2})}).what,
            "sum works on numbers, operand 0 is bool");
  EXPECT_EQ(error_of("mean", {whole({1})}).what, "mean works on real numbers, operand 0 is i64");
}

TEST(CumulativeSum, LeavesOutTheElementItselfWhenExclusive) {
  const auto sums = [](bool exclusive, bool reverse) {
    return list(
        call_op("cumsum", {reals({1, 2, 3})},
                {{"dim", std::int64_t{0}}, {"exclusive", exclusive}, {"reverse", reverse}})[0]);
  };
  EXPECT_EQ(sums(false, false), (Reals{1, 3, 6}));
  EXPECT_EQ(sums(true, false), (Reals{0, 1, 3}));
  EXPECT_EQ(sums(false, true), (Reals{6, 5, 3}));
  EXPECT_EQ(sums(true, true), (Reals{5, 3, 0}));
}

}  // namespace
}  // namespace chop::test
