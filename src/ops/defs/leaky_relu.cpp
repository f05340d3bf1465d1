// y = x                   when x > 0
//     negative_slope · x  otherwise
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::leaky_relu {
namespace {

double value(double x, const Call& call) {
  return x > 0 ? x : call.real("negative_slope") * x;
}

double slope(double x, double /*y*/, const Call& call) {
  return x > 0 ? 1.0 : call.real("negative_slope");
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "leaky_relu",
      .doc = "y = x if x > 0 else negative_slope · x",
      .module = "LeakyReLU",
      .torch = "F.leaky_relu(x, negative_slope)",
      .fx = "x, negative_slope=negative_slope, inplace=inplace",
      .attrs = {{"negative_slope", 0.01, "slope for negative x"}, inplace_attr()},
      .unary = {value, slope},
      .cost = elementwise<2>,
      .onnx = {{"LeakyRelu", 6, {{"alpha", "negative_slope"}}}},
      .repr = named_arguments,
      .samples = {{.inputs = {{.shape = {4, 5}, .avoid = {0.0}}}},
                  {.attrs = {{"negative_slope", 0.25}},
                   .inputs = {{.shape = {7}, .low = -100, .high = 100, .avoid = {0.0}}}}},
  });
}

}  // namespace chop::ops::leaky_relu
