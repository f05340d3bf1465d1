// y = x / (1 + |x|)
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::softsign {
namespace {

double value(double x, const Call& /*call*/) {
  return x / (1 + std::abs(x));
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  const double r = 1 / (1 + std::abs(x));
  return r * r;
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "softsign",
      .doc = "y = x / (1 + |x|)",
      .module = "Softsign",
      .torch = "F.softsign(x)",
      .unary = {value, slope},
      .cost = elementwise<3>,
      .onnx = {{"Softsign", 1}},
      .samples = each_of({{.shape = {4, 5}, .avoid = {0.0}},
                          {.shape = {7}, .low = -1e4, .high = 1e4},
                          {.shape = {1}},
                          {.shape = {0}}}),
  });
}

}  // namespace chop::ops::softsign
