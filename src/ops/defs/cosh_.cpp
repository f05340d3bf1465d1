// y = cosh x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::cosh_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::cosh(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return std::sinh(x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "cosh",
      .doc = "y = cosh x",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.cosh",
      .method = "cosh",
      .torch = "torch.cosh(x)",
      .unary = {value, slope},
      .onnx = {{"Cosh", 9}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -5, .high = 5}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::cosh_
