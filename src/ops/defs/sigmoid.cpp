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
      .function = "torch.sigmoid",
      .method = "sigmoid",
      .torch = "torch.sigmoid(x)",
      .unary = {.value = [](double x, const Call&) { return stable_sigmoid(x); },
                .slope = [](double, double y, const Call&) { return y * (1 - y); },
                .from_output = true},
      .cost = elementwise<4>,
      .onnx = {{"Sigmoid", 6}},
      .samples = each_of({{.shape = {4, 5}},
                          {.shape = {9}, .low = -1e4, .high = 1e4},
                          {.shape = {}},
                          {.shape = {2, 0}}}),
  });
}

}  // namespace chop::ops::sigmoid
