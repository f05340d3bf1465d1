// y = the smallest whole number that is not below x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::ceil_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::ceil(x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "ceil",
      .doc = "y = the smallest whole number that is not below x",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.ceil",
      .method = "ceil",
      .torch = "torch.ceil(x)",
      .traits = Trait::NoGradient,
      .unary = {value},
      .onnx = {{"Ceil", 6}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -1e8, .high = 1e8}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::ceil_
