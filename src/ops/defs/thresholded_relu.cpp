// y = x when x > alpha
//     0 otherwise
#include "ops/core/common.hpp"

namespace chop::ops::thresholded_relu {
namespace {

double value(double x, const Call& call) {
  return x <= call.real("alpha") ? 0.0 : x;  // NaN passes through, as in PyTorch
}

double slope(double x, double /*y*/, const Call& call) {
  return x <= call.real("alpha") ? 0.0 : 1.0;
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "thresholded_relu",
      .doc = "y = x if x > alpha else 0",
      .function = "torch.nn.functional.threshold",
      .torch = "F.threshold(x, alpha, 0.0)",
      .fx = "x, threshold=alpha, value=0.0",
      .attrs = {{"alpha", 1.0, "what x must exceed"}},
      .unary = {value, slope},
      .onnx = {{"ThresholdedRelu", 10, {{"alpha", "alpha"}}}},
      .samples = {{.inputs = {{.shape = {4, 5}, .avoid = {1.0}}}},
                  {.attrs = {{"alpha", -0.5}}, .inputs = {{.shape = {2, 1, 3}, .avoid = {-0.5}}}},
                  {.attrs = {{"alpha", 0.0}},
                   .inputs = {{.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {0.0}}}},
                  {.inputs = {{.shape = {0}}}}},
  });
}

}  // namespace chop::ops::thresholded_relu
