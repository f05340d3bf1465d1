// y = √x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::sqrt_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::sqrt(x);
}

double slope(double /*x*/, double y, const Call& /*call*/) {
  return 0.5 / y;
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "sqrt",
      .doc = "y = √x: NaN below 0",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.sqrt",
      .method = "sqrt",
      .torch = "torch.sqrt(x)",
      .unary = {value, slope, /*from_output=*/true},
      .onnx = {{"Sqrt", 6}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = 0.1, .high = 5}}},
                  {.inputs = {{.shape = {7}, .low = 1, .high = 1e8}}},
                  {.inputs = {{.shape = {1}, .low = 0.5, .high = 1}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::sqrt_
