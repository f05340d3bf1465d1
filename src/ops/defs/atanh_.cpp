// y = artanh x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::atanh_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::atanh(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return 1 / (1 - x * x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "atanh",
      .doc = "y = artanh x, the inverse of tanh; ±∞ at ±1, NaN beyond",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.atanh",
      .method = "atanh",
      .torch = "torch.atanh(x)",
      .unary = {value, slope},
      .onnx = {{"Atanh", 9}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = -0.95, .high = 0.95}}},
                  {.inputs = {{.shape = {1}, .low = 0.5, .high = 0.9}}},
                  {.inputs = {{.shape = {0, 3}, .low = -1, .high = 1}}}},
  });
}

}  // namespace chop::ops::atanh_
