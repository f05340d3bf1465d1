// y = eˣ
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::exp_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::exp(x);
}

double slope(double /*x*/, double y, const Call& /*call*/) {
  return y;
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "exp",
      .doc = "y = eˣ",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.exp",
      .method = "exp",
      .torch = "torch.exp(x)",
      .unary = {value, slope, /*from_output=*/true},
      .onnx = {{"Exp", 6}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -100, .high = 3}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::exp_
