// y = ln x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::log_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::log(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return 1 / x;
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "log",
      .doc = "y = ln x: -∞ at 0, NaN below",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.log",
      .method = "log",
      .torch = "torch.log(x)",
      .unary = {value, slope},
      .onnx = {{"Log", 6}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = 0.1, .high = 5}}},
                  {.inputs = {{.shape = {7}, .low = 1.0, .high = 1e8}}},
                  {.inputs = {{.shape = {1}, .low = 0.5, .high = 1}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::log_
