// y = tanh x
#include <cmath>

#include "ops/core/common.hpp"

namespace chop::ops::tanh {
namespace {

double value(double x, const Call& /*call*/) {
  return std::tanh(x);
}

double slope(double /*x*/, double y, const Call& /*call*/) {
  return 1 - y * y;
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "tanh",
      .doc = "y = tanh x",
      .mase_type = MaseType::ModuleRelatedFunc,
      .module = "Tanh",
      .function = "torch.tanh",
      .method = "tanh",
      .torch = "torch.tanh(x)",
      .unary = {value, slope, /*from_output=*/true},
      .onnx = {{"Tanh", 6}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {9}, .low = -1e4, .high = 1e4}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 4}}}}},
  });
}

}  // namespace chop::ops::tanh
