// y = arctan x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::atan_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::atan(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return 1 / (1 + x * x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "atan",
      .doc = "y = arctan x, in [-π/2, π/2]",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.atan",
      .method = "atan",
      .torch = "torch.atan(x)",
      .unary = {value, slope},
      .onnx = {{"Atan", 7}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -1e4, .high = 1e4}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::atan_
