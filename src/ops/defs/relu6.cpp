// y = min(max(x, 0), 6)
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::relu6 {
namespace {

double value(double x, const Call& /*call*/) {
  if (x < 0) return 0.0;
  return x > 6 ? 6.0 : x;  // NaN passes through
}

double slope(double /*x*/, double y, const Call& /*call*/) {
  return y <= 0 || y >= 6 ? 0.0 : 1.0;  // 0 at both kinks
}

}  // namespace

OpDef define() {
  return inplace_op({
      .name = "relu6",
      .doc = "y = min(max(x, 0), 6)",
      .module = "ReLU6",
      .torch = "F.relu6(x)",
      .unary = {value, slope, /*from_output=*/true},
      .cost = elementwise<2>,
      .onnx = {{"Clip", 6}},
      .repr = named_arguments,
      .samples = each_of({{.shape = {4, 5}, .low = -3, .high = 9, .avoid = {0.0, 6.0}},
                          {.shape = {1}, .low = 1e30, .high = 2e30},
                          {.shape = {3, 0}}}),
  });
}

}  // namespace chop::ops::relu6
