// y = tan x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::tan_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::tan(x);
}

double slope(double /*x*/, double y, const Call& /*call*/) {
  return 1 + y * y;
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "tan",
      .doc = "y = tan x",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.tan",
      .method = "tan",
      .torch = "torch.tan(x)",
      .unary = {value, slope, /*from_output=*/true},
      .onnx = {{"Tan", 7}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = -1.4, .high = 1.4}}},
                  {.inputs = {{.shape = {7}, .low = 2.0, .high = 4.0}}},
                  {.inputs = {{.shape = {1}, .low = -1, .high = 1}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::tan_
