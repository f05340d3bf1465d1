// y = 1 / (1 + e⁻ˣ)
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"
#include "ops/families/elementwise/stable.hpp"

namespace chop::ops::sigmoid {

OpDef define() {
  return unary_op({
      .name = "sigmoid",
      .doc = "y = 1 / (1 + e⁻ˣ)",
      .module = "Sigmoid",
      .method = "sigmoid",
      .torch = "torch.sigmoid(x)",
      .unary = {.value = [](double x, const Call&) { return stable_sigmoid(x); },
                .slope = [](double, double y, const Call&) { return y * (1 - y); },
                .from_output = true},
      .cost = elementwise<4>,
      .onnx = {{"Sigmoid", 6}},
  });
}

}  // namespace chop::ops::sigmoid
