// Elementary functions, comparisons, logic and casts where samples do not reach: NaN, infinities,
// ties, ends of ranges, whole numbers beyond 2^53, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/call_op.hpp"

namespace chop::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLarge = (std::int64_t{1} << 53) + 1;  // not a double

using Reals = std::vector<double>;
using Wholes = std::vector<std::int64_t>;

Tensor whole(std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}
Tensor truth(std::initializer_list<std::int64_t> values) {
  return whole(values).to(DType::Bool);
}
Wholes wholes(const Tensor& tensor) {
  const auto data = tensor.data<std::int64_t>();
  return {data.begin(), data.end()};
}
DType dtype_of(const std::string& op, const std::vector<Tensor>& inputs, const Attrs& attrs = {}) {
  const Graph graph = call_graph(op, inputs, attrs);
  return type_of(infer_types(graph, 2).value(), Value{*graph.find("call")}).dtype;
}

TEST(Unary, TakesWholeNumbersWhereThatMeansSomething) {
  EXPECT_EQ(wholes(call_op("abs", {whole({-kLarge, 3, kLeast})})[0]), (Wholes{kLarge, 3, kLeast}));
  EXPECT_EQ(wholes(call_op("neg", {whole({-kLarge, 3, kLeast})})[0]), (Wholes{kLarge, -3, kLeast}));
  EXPECT_EQ(wholes(call_op("sign", {whole({-kLarge, 0, 9})})[0]), (Wholes{-1, 0, 1}));
  EXPECT_EQ(wholes(call_op("neg", {whole({1, 0}).to(DType::U8)})[0]), (Wholes{255, 0}));
  EXPECT_EQ(dtype_of("neg", {whole({1}).to(DType::U8)}), DType::U8);
  EXPECT_EQ(error_of("exp", {whole({1})}).what, "exp works on real numbers, operand 0 is i64");
  EXPECT_EQ(error_of("relu", {whole({1})}).what, "relu works on real numbers, operand 0 is i64");
  EXPECT_EQ(error_of("abs", {truth({1})}).what, "abs works on numbers, operand 0 is bool");
}

TEST(Unary, RoundsHalvesToEven) {
  EXPECT_EQ(list(call_op("round", {reals({0.5, 1.5, 2.5, -0.5, -1.5, kInf})})[0]),
            (Reals{0, 2, 2, 0, -2, kInf}));
  EXPECT_EQ(list(call_op("sign", {reals({kNan, -0.0, -kInf})})[0]), (Reals{0, 0, -1}));
}

TEST(Clamp, KeepsEndsNanAndWholeNumbers) {
  const Attrs ends = {{"min", -1.0}, {"max", 1.0}};
  const Tensor x = reals({-2, -1, 0, 1, 2, kNan});
  const Reals y = list(call_op("clamp", {x}, ends)[0]);
  EXPECT_EQ(Reals(y.begin(), y.end() - 1), (Reals{-1, -1, 0, 1, 1}));
  EXPECT_TRUE(std::isnan(y.back()));
  EXPECT_EQ(list(slope_of("clamp", {x}, ends)), (Reals{0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(wholes(call_op("clamp", {whole({-kLarge, kLarge})})[0]), (Wholes{-kLarge, kLarge}));
  EXPECT_EQ(wholes(call_op("clamp", {whole({-5, 0, 5})}, {{"min", -1.5}, {"max", 2.5}})[0]),
            (Wholes{-1, 0, 2}));
  EXPECT_EQ(list(call_op("clamp", {reals({0})}, {{"min", 3.0}, {"max", 2.0}})[0]), (Reals{2}));
  EXPECT_EQ(error_of("clamp", {reals({0})}, {{"min", kNan}}).what,
            "clamp between bounds of which one is NaN");
}

TEST(Power, FollowsPyTorchAtZeroAndBelow) {
  EXPECT_EQ(wholes(call_op("pow", {whole({2, -1, 1, 0, 3}), whole({-1, -3, -2, 0, 40})})[0]),
            (Wholes{0, -1, 1, 1, -6289078614652622815}));
  EXPECT_EQ(list(call_op("pow", {reals({0, 0, -8}), reals({0, -1, 3})})[0]),
            (Reals{1, kInf, -512}));
  EXPECT_EQ(list(slope_of("pow", {reals({0, 0, -2}), reals({0, 1, 2})})), (Reals{0, 1, -4}));
  EXPECT_EQ(dtype_of("pow", {reals({1}), whole({2})}), DType::F64);
  EXPECT_EQ(dtype_of("pow", {whole({1}), reals({2})}), DType::I64);
}

TEST(Remainders, HaveTheSignOfTheDividendOrOfTheDivisor) {
  const Tensor a = reals({7, -7, 7, -7, -0.5});
  const Tensor b = reals({3, 3, -3, -3, kInf});
  EXPECT_EQ(list(call_op("fmod", {a, b})[0]), (Reals{1, -1, 1, -1, -0.5}));
  EXPECT_EQ(list(call_op("remainder", {a, b})[0]), (Reals{1, 2, -2, -1, kInf}));
  const Tensor c = whole({7, -7, 7, -7, kLeast, 5});
  const Tensor d = whole({3, 3, -3, -3, -1, 0});
  EXPECT_EQ(wholes(call_op("fmod", {c, d})[0]), (Wholes{1, -1, 1, -1, 0, 0}));
  EXPECT_EQ(wholes(call_op("remainder", {c, d})[0]), (Wholes{1, 2, -2, -1, 0, 0}));
}

TEST(Extremes, LetNanWinAndHalveTheGradientOfTies) {
  const Tensor a = reals({1, 1, 0, 2});
  const Tensor b = reals({1, 0, 1, 2});
  EXPECT_EQ(list(slope_of("maximum", {a, b})), (Reals{0.5, 1, 0, 0.5}));
  EXPECT_EQ(list(slope_of("minimum", {a, b})), (Reals{0.5, 0, 1, 0.5}));
  for (const char* op : {"maximum", "minimum"})
    for (const double y : list(call_op(op, {reals({kNan, 1}), reals({1, kNan})})[0]))
      EXPECT_TRUE(std::isnan(y)) << op;
  EXPECT_EQ(wholes(call_op("maximum", {whole({kLarge}), whole({kLarge - 1})})[0]), Wholes{kLarge});
}

TEST(Comparisons, GiveTruthValuesAndNoneForNan) {
  const Tensor a = reals({1, 2, kNan, -0.0});
  const Tensor b = reals({1, 1, kNan, 0.0});
  EXPECT_EQ(wholes(call_op("eq", {a, b})[0]), (Wholes{1, 0, 0, 1}));
  EXPECT_EQ(wholes(call_op("ne", {a, b})[0]), (Wholes{0, 1, 1, 0}));
  EXPECT_EQ(wholes(call_op("le", {a, b})[0]), (Wholes{1, 0, 0, 1}));
  EXPECT_EQ(wholes(call_op("ge", {a, b})[0]), (Wholes{1, 1, 0, 1}));
  EXPECT_EQ(wholes(call_op("lt", {whole({kLarge - 1}), whole({kLarge})})[0]), Wholes{1});
  EXPECT_EQ(dtype_of("gt", {a, b}), DType::Bool);
  EXPECT_EQ(error_of("lt", {a, whole({1})}).what, "lt cannot combine f64 and i64");
  EXPECT_EQ(wholes(call_op("isinf", {reals({kInf, -kInf, kNan})}, {{"detect_negative", false}})[0]),
            (Wholes{1, 0, 0}));
  EXPECT_EQ(wholes(call_op("isnan", {reals({kInf, 0, kNan})})[0]), (Wholes{0, 0, 1}));
}

TEST(Logic, WantsTruthValues) {
  EXPECT_EQ(wholes(call_op("logical_xor", {truth({0, 1}), truth({1, 1})})[0]), (Wholes{1, 0}));
  EXPECT_EQ(error_of("logical_and", {truth({1}), whole({1})}).what,
            "logical_and works on truth values, operand 1 is i64");
  EXPECT_EQ(error_of("where", {whole({1}), whole({1}), whole({1})}).what,
            "the condition of where is i64, not bool");
  EXPECT_EQ(error_of("where", {truth({1}), whole({1}), reals({1})}).what,
            "where cannot combine i64 and f64");
}

TEST(Where, SendsNoGradientToWhatIsNotChosen) {
  const Tensor condition = truth({1, 0});
  Graph graph = call_graph("where", {condition, reals({1, 2}), reals({kInf})}, {});
  const Value call{*graph.find("call")};
  const NodeId seed = graph.add({.name = "seed",
                                 .opcode = Opcode::CallFunction,
                                 .op = "full",
                                 .target = "full",
                                 .attrs = {{"shape", Shape{2}}, {"value", 3.0}}});
  const GradientGraph backward = differentiate(graph, 2, call, {"x1", "x2"}, Value{seed}).value();
  const NamedTensors inputs = named({condition, reals({1, 2}), reals({kInf})});
  const Values values = run_reference(backward.graph, inputs).value();
  const auto gradient = [&](const std::string& name) {
    return list(values[index(backward.gradients.at(name).node)][0]);
  };
  EXPECT_EQ(gradient("x1"), (Reals{3, 0}));
  EXPECT_EQ(gradient("x2"), (Reals{3}));
}

TEST(Shifts, LoseWhatLeavesTheDtype) {
  const Tensor a = whole({255, 1, 7}).to(DType::U8);
  const Tensor b = whole({1, 8, 100}).to(DType::U8);
  EXPECT_EQ(wholes(call_op("bitwise_left_shift", {a, b})[0]), (Wholes{254, 0, 0}));
  EXPECT_EQ(wholes(call_op("bitwise_right_shift", {a, b})[0]), (Wholes{127, 0, 0}));
  EXPECT_EQ(error_of("bitwise_left_shift", {whole({1}), whole({1})}).what,
            "bitwise_left_shift shifts unsigned whole numbers, operand 0 is i64");
}

TEST(Cast, DropsWhatIsBehindThePointAndStaysInRange) {
  const auto cast = [](const Tensor& x, const char* dtype) {
    return call_op("cast", {x}, {{"dtype", std::string(dtype)}})[0];
  };
  EXPECT_EQ(wholes(cast(reals({1.9, -1.9, 1e30, kNan}), "i64")),
            (Wholes{1, -1, std::numeric_limits<std::int64_t>::max(), 0}));
  EXPECT_EQ(wholes(cast(reals({300, -300, 2.5}), "u8")), (Wholes{255, 0, 2}));
  EXPECT_EQ(wholes(cast(reals({0.25, 0, kNan}), "bool")), (Wholes{1, 0, 1}));
  EXPECT_EQ(wholes(cast(whole({kLarge}), "i64")), Wholes{kLarge});
  EXPECT_EQ(list(cast(reals({2049}), "f16")), Reals{2048});
  EXPECT_EQ(error_of("cast", {reals({1})}, {{"dtype", std::string("i65")}}).what,
            "unknown dtype 'i65'");
}

TEST(Prelu, BroadcastsSlopesToXAndNotXToThem) {
  EXPECT_EQ(error_of("prelu", {zeros({3}), zeros({2, 3})}).what, "prelu of [3] with slopes [2, 3]");
}

}  // namespace
}  // namespace chop::test
