// y = min(max(x + 3, 0), 6) / 6
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::hardsigmoid {
namespace {

double value(double x, const Call& /*call*/) {
  return std::clamp(x + 3, 0.0, 6.0) / 6;
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return x > -3 && x < 3 ? 1.0 / 6 : 0.0;  // 0 at both kinks
}

}  // namespace

OpDef define() {
  return inplace_op({
      .name = "hardsigmoid",
      .doc = "y = min(max(x + 3, 0), 6) / 6",
      .module = "Hardsigmoid",
      .torch = "F.hardsigmoid(x)",
      .unary = {value, slope},
      .cost = elementwise<4>,
      .onnx = {{"HardSigmoid", 6}},
      .samples = each_of({{.shape = {4, 5}, .low = -5, .high = 5, .avoid = {-3.0, 3.0}},
                          {.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {-3.0, 3.0}},
                          {.shape = {1}, .avoid = {-3.0, 3.0}},
                          {.shape = {0}}}),
  });
}

}  // namespace chop::ops::hardsigmoid
