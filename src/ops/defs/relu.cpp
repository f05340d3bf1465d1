// y = max(x, 0)
#include "ops/core/common.hpp"

namespace chop::ops::relu {
namespace {

double value(double x, const Call& /*call*/) {
  return x < 0 ? 0.0 : x;  // NaN passes through, as in PyTorch
}

double slope(double /*x*/, double y, const Call& /*call*/) {
  return y > 0 ? 1.0 : 0.0;
}

}  // namespace

OpDef define() {
  return inplace_op({
      .name = "relu",
      .doc = "y = max(x, 0)",
      .module = "ReLU",
      .method = "relu",
      .torch = "F.relu(x)",
      .traits = Trait::Rectifier,
      .unary = {value, slope, /*from_output=*/true},
      .quantisable = {{"data_in", true, /*negative=*/false}},
      .onnx = {{"Relu", 6}},
      .repr = named_arguments,
      .samples = each_of({{.shape = {4, 5}, .avoid = {0.0}},
                          {.shape = {1}, .low = -1e30, .high = 1e30, .avoid = {0.0}},
                          {.shape = {0, 3}}}),
  });
}

}  // namespace chop::ops::relu
