// y = the largest whole number that is not above x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::floor_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::floor(x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "floor",
      .doc = "y = the largest whole number that is not above x",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.floor",
      .method = "floor",
      .torch = "torch.floor(x)",
      .traits = Trait::NoGradient,
      .unary = {value},
      .onnx = {{"Floor", 6}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -1e8, .high = 1e8}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::floor_
