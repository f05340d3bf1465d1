// y = 1 / x
#include "ops/core/common.hpp"

namespace chop::ops::reciprocal {
namespace {

double value(double x, const Call& /*call*/) {
  return 1 / x;
}

double slope(double /*x*/, double y, const Call& /*call*/) {
  return -y * y;
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "reciprocal",
      .doc = "y = 1 / x: ±∞ at ±0",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.reciprocal",
      .method = "reciprocal",
      .torch = "torch.reciprocal(x)",
      .unary = {value, slope, /*from_output=*/true},
      .onnx = {{"Reciprocal", 6}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = 0.3, .high = 3}}},
                  {.inputs = {{.shape = {7}, .low = -1e4, .high = -1}}},
                  {.inputs = {{.shape = {1}, .low = 1, .high = 2}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::reciprocal
