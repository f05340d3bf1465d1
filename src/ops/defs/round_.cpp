// y = the whole number nearest to x, the even one of two
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::round_ {
namespace {

double value(double x, const Call& /*call*/) {
  return std::nearbyint(x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "round",
      .doc = "y = the whole number nearest to x, the even one of two",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.round",
      .method = "round",
      .torch = "torch.round(x)",
      .traits = Trait::NoGradient,
      .unary = {value},
      .onnx = {{"Round", 11}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -1e8, .high = 1e8}}},
                  {.inputs = {{.shape = {3}, .low = 2.5, .high = 2.5}}},
                  {.inputs = {{.shape = {3}, .low = -1.5, .high = -1.5}}},
                  {.inputs = {{.shape = {0, 3}}}}},
  });
}

}  // namespace chop::ops::round_
