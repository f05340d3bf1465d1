// y = arcsin x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::asin_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::asin(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return 1 / std::sqrt(1 - x * x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "asin",
      .doc = "y = arcsin x, in [-π/2, π/2]; NaN outside [-1, 1]",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.asin",
      .method = "asin",
      .torch = "torch.asin(x)",
      .unary = {value, slope},
      .onnx = {{"Asin", 7}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = -0.95, .high = 0.95}}},
                  {.inputs = {{.shape = {1}, .low = 0.5, .high = 0.9}}},
                  {.inputs = {{.shape = {0, 3}, .low = -1, .high = 1}}}},
  });
}

}  // namespace chop::ops::asin_
