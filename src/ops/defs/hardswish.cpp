// y = x · min(max(x + 3, 0), 6) / 6
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::hardswish {
namespace {

double value(double x, const Call& /*call*/) {
  return x * (std::clamp(x + 3, 0.0, 6.0) / 6);
}

/// PyTorch gives the slope of the middle part at both kinks: -1/2 at -3, 3/2 at 3.
double slope(double x, double /*y*/, const Call& /*call*/) {
  if (x < -3) return 0.0;
  return x <= 3 ? x / 3 + 0.5 : 1.0;
}

}  // namespace

OpDef define() {
  return inplace_op({
      .name = "hardswish",
      .doc = "y = x · min(max(x + 3, 0), 6) / 6",
      .module = "Hardswish",
      .torch = "F.hardswish(x)",
      .unary = {value, slope},
      .cost = elementwise<5>,
      .onnx = {{"HardSwish", 14}},
      .samples = each_of({{.shape = {4, 5}, .low = -5, .high = 5, .avoid = {-3.0, 3.0}},
                          {.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {-3.0, 3.0}},
                          {.shape = {1}, .avoid = {-3.0, 3.0}},
                          {.shape = {0}}}),
  });
}

}  // namespace chop::ops::hardswish
