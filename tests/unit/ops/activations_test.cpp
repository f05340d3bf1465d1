// Activations where samples do not look: kinks, NaN, infinities, huge values, bad settings.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/call_op.hpp"

namespace chop::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double slope_at(const std::string& op, double x, const Attrs& attrs = {}) {
  return slope_of(op, {reals({x})}, attrs).at(0);
}
double value_at(const std::string& op, double x, const Attrs& attrs = {}) {
  return call_op(op, {reals({x})}, attrs)[0].at(0);
}

// The expected numbers were read from PyTorch 1.13.
TEST(Activations, SlopesAtKinksArePyTorchs) {
  EXPECT_EQ(slope_at("relu6", 0.0), 0.0);
  EXPECT_EQ(slope_at("relu6", 6.0), 0.0);
  EXPECT_EQ(slope_at("elu", 0.0), 1.0);
  EXPECT_EQ(slope_at("elu", 0.0, {{"alpha", 0.5}}), 0.5);
  EXPECT_EQ(slope_at("selu", 0.0), 1.7580993408473766);
  EXPECT_EQ(slope_at("hardtanh", -1.0), 0.0);
  EXPECT_EQ(slope_at("hardtanh", 1.0), 0.0);
  EXPECT_EQ(slope_at("hardswish", -3.0), -0.5);
  EXPECT_EQ(slope_at("hardswish", 3.0), 1.5);
  EXPECT_EQ(slope_at("hardsigmoid", -3.0), 0.0);
  EXPECT_EQ(slope_at("hardsigmoid", 3.0), 0.0);
  EXPECT_EQ(slope_at("softsign", 0.0), 1.0);
}

TEST(Activations, SoftplusIsLinearOnlyBeyondItsThreshold) {
  EXPECT_DOUBLE_EQ(value_at("softplus", 20.0), 20.000000002061153);
  EXPECT_DOUBLE_EQ(slope_at("softplus", 20.0), 0.9999999979388464);
  EXPECT_EQ(value_at("softplus", 20.1), 20.1);
  EXPECT_EQ(slope_at("softplus", 20.1), 1.0);
  EXPECT_EQ(value_at("softplus", 1e4, {{"threshold", 1e6}}), 1e4);
}

class EveryActivation : public testing::TestWithParam<const char*> {};

TEST_P(EveryActivation, IsFiniteForHugeValues) {
  for (const double x : {-1e300, -1e20, -1e4, -750.0, -0.0, 750.0, 1e4, 1e20, 1e300}) {
    EXPECT_TRUE(std::isfinite(value_at(GetParam(), x))) << x;
    EXPECT_TRUE(std::isfinite(slope_at(GetParam(), x))) << x;
  }
}

TEST_P(EveryActivation, LetsNanThrough) {
  EXPECT_TRUE(std::isnan(value_at(GetParam(), kNan)));
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryActivation,
                         testing::Values("relu6", "elu", "selu", "silu", "gelu", "sigmoid", "tanh",
                                         "hardtanh", "hardswish", "hardsigmoid", "softplus",
                                         "softsign"),
                         [](const auto& at) { return std::string(at.param); });

TEST(Activations, TanhFormOfGeluIsFiniteForHugeValues) {
  const Attrs form = {{"approximate", std::string("tanh")}};
  EXPECT_EQ(value_at("gelu", 1e300, form), 1e300);
  EXPECT_EQ(slope_at("gelu", 1e300, form), 1.0);
  EXPECT_EQ(slope_at("gelu", -1e300, form), 0.0);
}

TEST(Activations, GeluNamesTheFormsItHas) {
  const Error error = error_of("gelu", {zeros({2})}, {{"approximate", std::string("sigmoid")}});
  EXPECT_EQ(error.what, "gelu with approximate='sigmoid'");
  EXPECT_EQ(error.hint, "approximate is one of none, tanh");
}

TEST(Activations, HardtanhRefusesBoundsInTheWrongOrder) {
  const Error error = error_of("hardtanh", {zeros({2})}, {{"min_val", 2.0}});
  EXPECT_EQ(error.what, "hardtanh with min_val=2.0 above max_val=1.0");
  EXPECT_EQ(error.hint, "min_val must not exceed max_val");
}

TEST(Activations, SoftplusRefusesBetaZero) {
  EXPECT_EQ(error_of("softplus", {zeros({2})}, {{"beta", 0.0}}).what,
            "softplus with beta=0 divides by zero");
}

TEST(Activations, ModulesPrintAsInPyTorch) {
  const auto repr = [](const char* op, const Attrs& attrs = {}) {
    return module_repr(*find_op(op).value(), attrs);
  };
  EXPECT_EQ(repr("relu6"), "ReLU6()");
  EXPECT_EQ(repr("elu"), "ELU(alpha=1.0)");
  EXPECT_EQ(repr("gelu"), "GELU(approximate='none')");
  EXPECT_EQ(repr("hardtanh", {{"inplace", true}}),
            "Hardtanh(min_val=-1.0, max_val=1.0, inplace=True)");
  EXPECT_EQ(repr("softplus"), "Softplus(beta=1, threshold=20)");
  EXPECT_EQ(repr("softmax", {{"dim", std::int64_t{1}}}), "Softmax(dim=1)");
  EXPECT_EQ(repr("dropout"), "Dropout(p=0.5, inplace=False)");
  EXPECT_EQ(repr("flatten"), "Flatten(start_dim=1, end_dim=-1)");
  EXPECT_EQ(repr("identity"), "Identity()");
}

TEST(Softmax, SurvivesLogitsOfAnySize) {
  const Tensor x = reals({-1e300, 0.0, 1e300});
  const Attrs dim = {{"dim", std::int64_t{0}}};
  EXPECT_EQ(list(call_op("softmax", {x}, dim)[0]), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(list(call_op("log_softmax", {x}, dim)[0]), (std::vector<double>{-2e300, -1e300, 0}));
}

TEST(Softmax, RefusesADimensionThatIsNotThere) {
  const Error error = error_of("softmax", {zeros({2, 3})}, {{"dim", std::int64_t{2}}});
  EXPECT_EQ(error.what, "dimension 2 is outside a tensor of rank 2");
  EXPECT_EQ(error.hint, "use -2 to 1");
}

}  // namespace
}  // namespace chop::test
