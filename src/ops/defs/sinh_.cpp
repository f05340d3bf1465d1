// y = sinh x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::sinh_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::sinh(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return std::cosh(x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "sinh",
      .doc = "y = sinh x",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.sinh",
      .method = "sinh",
      .torch = "torch.sinh(x)",
      .unary = {value, slope},
      .onnx = {{"Sinh", 9}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -5, .high = 5}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::sinh_
