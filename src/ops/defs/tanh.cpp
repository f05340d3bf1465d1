// y = tanh x
#include "ops/core/common.hpp"

namespace chop::ops::tanh {

OpDef define() {
  return unary_op({
      .name = "tanh",
      .doc = "y = tanh x",
      .module = "Tanh",
      .method = "tanh",
      .torch = "torch.tanh(x)",
      .unary = {.value = [](double x, const Call&) { return std::tanh(x); },
                .slope = [](double, double y, const Call&) { return 1 - y * y; },
                .from_output = true},
      .onnx = {{"Tanh", 6}},
  });
}

}  // namespace chop::ops::tanh
