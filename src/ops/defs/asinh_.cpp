// y = arsinh x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::asinh_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::asinh(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return 1 / std::hypot(x, 1);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "asinh",
      .doc = "y = arsinh x, the inverse of sinh",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.asinh",
      .method = "asinh",
      .torch = "torch.asinh(x)",
      .unary = {value, slope},
      .onnx = {{"Asinh", 9}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -1e4, .high = 1e4}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::asinh_
