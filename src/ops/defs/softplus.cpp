// y = log(1 + e^(beta x)) / beta, and y = x where beta x > threshold
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"
#include "ops/families/elementwise/stable.hpp"
#include "support/text.hpp"

namespace chop::ops::softplus {
namespace {

double value(double x, const Call& call) {
  const double beta = call.real("beta");
  if (beta * x > call.real("threshold")) return x;
  return stable_log1p_exp(beta * x) / beta;
}

double slope(double x, double /*y*/, const Call& call) {
  const double scaled = call.real("beta") * x;
  return scaled > call.real("threshold") ? 1.0 : stable_sigmoid(scaled);
}

TypeList infer(const TypedCall& call) {
  if (call.real("beta") == 0)
    return Error{.what = "softplus with beta=0 divides by zero", .hint = "the usual beta is 1"};
  return unary_type(call);
}

/// PyTorch's defaults are the integers 1 and 20, and print as such.
std::string whole(double value) {
  std::string text = python_repr(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string repr(const Call& call) {
  return cat("beta=", whole(call.real("beta")), ", threshold=", whole(call.real("threshold")));
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "softplus",
      .doc = "y = log(1 + e^(beta·x)) / beta; x itself where beta·x > threshold",
      .module = "Softplus",
      .function = "torch._C._nn.softplus",
      .torch = "F.softplus(x, beta, threshold)",
      .attrs = {{"beta", 1.0, "sharpness of the bend"},
                {"threshold", 20.0, "beta·x above which y is x"}},
      .unary = {value, slope},
      .infer = infer,
      .cost = elementwise<5>,
      .onnx = {{"Softplus", 1}},
      .repr = repr,
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.attrs = {{"beta", 2.5}, {"threshold", 30.0}},
                   .inputs = {{.shape = {3, 2}, .low = -11, .high = 11}}},
                  {.inputs = {{.shape = {9}, .low = -1e4, .high = 1e4, .avoid = {20.0}}}},
                  {.inputs = {{.shape = {0}}}}},
  });
}

}  // namespace chop::ops::softplus
