// add, sub, mul, div, matmul and bmm: operands, broadcasting, costs and error messages.
#include <gtest/gtest.h>

#include <limits>

#include "support/call_op.hpp"

namespace chop::test {
namespace {

TEST(Arithmetic, TakesANumberInsteadOfASecondInput) {
  const Tensor x = reals({1, -2});
  EXPECT_EQ(list(call_op("add", {x}, {{"other", 2.0}})[0]), (std::vector<double>{3, 0}));
  EXPECT_EQ(list(call_op("sub", {x}, {{"other", 2.0}})[0]), (std::vector<double>{-1, -4}));
  EXPECT_EQ(list(call_op("mul", {x}, {{"other", 2.0}})[0]), (std::vector<double>{2, -4}));
  EXPECT_EQ(list(call_op("div", {x}, {{"other", 2.0}})[0]), (std::vector<double>{0.5, -1}));
}

TEST(Arithmetic, DividesByZeroAsIeeeDoes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(list(call_op("div", {reals({1, -1})}, {{"other", 0.0}})[0]),
            (std::vector<double>{kInfinity, -kInfinity}));
}

TEST(Arithmetic, NeedsExactlyOneSecondOperand) {
  Error error = error_of("add", {zeros({2})});
  EXPECT_EQ(error.what, "add has one input and no second operand");
  EXPECT_EQ(error.hint, "give a second input, or the number `other`");
  error = error_of("mul", {zeros({2}), zeros({2})}, {{"other", 2.0}});
  EXPECT_EQ(error.what, "mul has two inputs and the attribute 'other' as well");
  EXPECT_EQ(error.hint, "give a second input or `other`, not both");
}

TEST(Arithmetic, RefusesShapesThatDoNotBroadcast) {
  const Error error = error_of("sub", {zeros({2, 3}), zeros({2})});
  EXPECT_EQ(error.what, "shapes [2, 3] and [2] do not broadcast");
}

TEST(Arithmetic, RefusesOperandsOfDifferentKinds) {
  const auto what = [](DType a, DType b, const std::string& op = "add") {
    return error_of(op, {Tensor(a, {2}), Tensor(b, {2})}).what;
  };
  EXPECT_EQ(what(DType::F32, DType::I64), "add cannot combine f32 and i64");
  EXPECT_EQ(what(DType::I64, DType::I32), "add cannot combine i64 and i32");
  EXPECT_EQ(what(DType::I64, DType::Bool), "add works on numbers, operand 1 is bool");
  EXPECT_EQ(error_of("mul", {Tensor(DType::I64, {2})}, {{"other", 2.0}}).what,
            "mul of i64 and the real number `other`");
}

TEST(Arithmetic, OfWholeNumbersStaysWholeAndWrapsAround) {
  const auto whole = [](const std::string& op, DType dtype, double a, double b) {
    return call_op(op, {Tensor::full({1}, a, dtype), Tensor::full({1}, b, dtype)})[0].at(0);
  };
  EXPECT_EQ(whole("add", DType::U8, 200, 100), 44);
  EXPECT_EQ(whole("sub", DType::U8, 1, 2), 255);
  EXPECT_EQ(whole("mul", DType::I8, 100, 2), -56);
  EXPECT_EQ(whole("div", DType::I64, -7, 2), -3);
  EXPECT_EQ(whole("div", DType::I64, 7, 0), 0);
  EXPECT_EQ(whole("div", DType::I8, -128, -1), -128);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const Tensor a = Tensor::of<std::int64_t>({2}, {least, 3});
  const Tensor b = Tensor::of<std::int64_t>({2}, {-1, std::int64_t{1} << 53});
  EXPECT_EQ(call_op("div", {a, b})[0].data<std::int64_t>()[0], least);
  EXPECT_EQ(call_op("add", {a, b})[0].data<std::int64_t>()[1], (std::int64_t{1} << 53) + 3);
}

TEST(Matmul, HasTheShapesOfPyTorch) {
  const auto shape = [](Shape a, Shape b) {
    return shape_of("matmul", {zeros(std::move(a)), zeros(std::move(b))});
  };
  EXPECT_EQ(shape({3}, {3}), Shape{});
  EXPECT_EQ(shape({3}, {3, 4}), Shape{4});
  EXPECT_EQ(shape({2, 3}, {3}), Shape{2});
  EXPECT_EQ(shape({3}, {5, 3, 4}), (Shape{5, 4}));
  EXPECT_EQ(shape({5, 2, 3}, {3}), (Shape{5, 2}));
  EXPECT_EQ(shape({7, 1, 2, 3}, {5, 3, 4}), (Shape{7, 5, 2, 4}));
  EXPECT_EQ(shape({2, 0}, {0, 3}), (Shape{2, 3}));
}

TEST(Matmul, SaysWhichDimensionsDisagree) {
  Error error = error_of("matmul", {zeros({2, 3}), zeros({4, 5})});
  EXPECT_EQ(error.what, "matmul cannot take [2, 3] and [4, 5]");
  EXPECT_EQ(error.hint,
            "the last dimension of the first, 3, must equal the second to last one of the second, "
            "4");
  error = error_of("matmul", {zeros({2, 3}), zeros({})});
  EXPECT_EQ(error.hint, "both operands need at least one dimension; mul multiplies by a scalar");
  EXPECT_EQ(error_of("matmul", {zeros({2, 1, 3}), zeros({4, 3, 1})}).what,
            "shapes [2] and [4] do not broadcast");
}

TEST(Bmm, TakesBatchesOfMatricesOnly) {
  const Error error = error_of("bmm", {zeros({2, 3}), zeros({3, 4})});
  EXPECT_EQ(error.what, "bmm cannot take [2, 3] and [3, 4]");
  EXPECT_EQ(error.hint, "it needs [n, i, k] and [n, k, j]; matmul takes other ranks");
}

TEST(Matmul, CountsMultiplicationsAndAdditionsApart) {
  const OpDef& op = *find_op("matmul").value();
  const std::vector<TensorType> in = {{DType::F32, {2, 3}}, {DType::F32, {3, 4}}};
  const std::vector<TensorType> out = {{DType::F32, {2, 4}}};
  const Attrs none;
  const Cost cost = op.cost({{{op, none}, in}, out});
  EXPECT_EQ(cost.macs, 24);
  EXPECT_EQ(cost.lab, 24);
  EXPECT_EQ(cost.exact, 2 * 4 * (2 * 3 - 1));
  EXPECT_EQ(cost.backward, 48);
}

}  // namespace
}  // namespace chop::test
