// y = 1 / (1 + e⁻ˣ)
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"
#include "ops/families/elementwise/stable.hpp"

namespace chop::ops::sigmoid {
namespace {

double value(double x, const Call& /*call*/) {
  return stable_sigmoid(x);
}

double slope(double /*x*/, double y, const Call& /*call*/) {
  return y * (1 - y);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "sigmoid",
      .doc = "y = 1 / (1 + e⁻ˣ)",
      .mase_type = MaseType::ModuleRelatedFunc,
      .module = "Sigmoid",
      .function = "torch.sigmoid",
      .method = "sigmoid",
      .torch = "torch.sigmoid(x)",
      .unary = {value, slope, /*from_output=*/true},
      .cost = elementwise<4>,
      .onnx = {{"Sigmoid", 6}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {9}, .low = -1e4, .high = 1e4}}},
                  {.inputs = {{.shape = {}}}},
                  {.inputs = {{.shape = {2, 0}}}}},
  });
}

}  // namespace chop::ops::sigmoid
