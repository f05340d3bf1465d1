// y = sin x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::sin_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::sin(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return std::cos(x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "sin",
      .doc = "y = sin x",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.sin",
      .method = "sin",
      .torch = "torch.sin(x)",
      .unary = {value, slope},
      .onnx = {{"Sin", 7}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -1e4, .high = 1e4}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::sin_
