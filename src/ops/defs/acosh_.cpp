// y = arcosh x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::acosh_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::acosh(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return 1 / std::sqrt(x * x - 1);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "acosh",
      .doc = "y = arcosh x, the inverse of cosh; NaN below 1",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.acosh",
      .method = "acosh",
      .torch = "torch.acosh(x)",
      .unary = {value, slope},
      .onnx = {{"Acosh", 9}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = 1.1, .high = 5}}},
                  {.inputs = {{.shape = {7}, .low = 2, .high = 1e4}}},
                  {.inputs = {{.shape = {1}, .low = 2, .high = 3}}},
                  {.inputs = {{.shape = {0, 3}, .low = 1, .high = 2}}}},
  });
}

}  // namespace chop::ops::acosh_
