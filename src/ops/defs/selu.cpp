// y = scale · (x when x > 0, alpha (eˣ - 1) otherwise), with the constants of
// Klambauer et al. 2017 that keep mean 0 and variance 1.
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::selu {
namespace {

constexpr double kAlpha = 1.6732632423543772848170429916717;
constexpr double kScale = 1.0507009873554804934193349852946;

double value(double x, const Call& /*call*/) {
  return x <= 0 ? kScale * kAlpha * std::expm1(x) : kScale * x;
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return x <= 0 ? kScale * kAlpha * std::exp(x) : kScale;  // scale · alpha at 0
}

}  // namespace

OpDef define() {
  return inplace_op({
      .name = "selu",
      .doc = "y = 1.0507 · (x if x > 0 else 1.6733 · (eˣ - 1)), constants to double precision",
      .module = "SELU",
      .torch = "F.selu(x)",
      .unary = {value, slope},
      .cost = elementwise<5>,
      .onnx = {{"Selu", 6}},
      .repr = named_arguments,
      .samples = each_of({{.shape = {4, 5}, .avoid = {0.0}},
                          {.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {0.0}},
                          {.shape = {1, 0, 2}}}),
  });
}

}  // namespace chop::ops::selu
