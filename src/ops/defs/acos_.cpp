// y = arccos x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::acos_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::acos(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return -1 / std::sqrt(1 - x * x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "acos",
      .doc = "y = arccos x, in [0, π]; NaN outside [-1, 1]",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.acos",
      .method = "acos",
      .torch = "torch.acos(x)",
      .unary = {value, slope},
      .onnx = {{"Acos", 7}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = -0.95, .high = 0.95}}},
                  {.inputs = {{.shape = {1}, .low = 0.5, .high = 0.9}}},
                  {.inputs = {{.shape = {0, 3}, .low = -1, .high = 1}}}},
  });
}

}  // namespace chop::ops::acos_
