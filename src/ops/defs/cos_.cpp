// y = cos x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::cos_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::cos(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return -std::sin(x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "cos",
      .doc = "y = cos x",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.cos",
      .method = "cos",
      .torch = "torch.cos(x)",
      .unary = {value, slope},
      .onnx = {{"Cos", 7}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -1e4, .high = 1e4}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::cos_
