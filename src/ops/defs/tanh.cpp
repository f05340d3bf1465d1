// y = tanh x
#include "ops/core/common.hpp"

namespace chop::ops::tanh {

OpDef define() {
  return unary_op({
      .name = "tanh",
      .doc = "y = tanh x",
      .module = "Tanh",
      .function = "torch.tanh",
      .method = "tanh",
      .torch = "torch.tanh(x)",
      .unary = {.value = [](double x, const Call&) { return std::tanh(x); },
                .slope = [](double, double y, const Call&) { return 1 - y * y; },
                .from_output = true},
      .onnx = {{"Tanh", 6}},
      .samples = each_of({{.shape = {4, 5}},
                          {.shape = {9}, .low = -1e4, .high = 1e4},
                          {.shape = {1}},
                          {.shape = {0, 4}}}),
  });
}

}  // namespace chop::ops::tanh
