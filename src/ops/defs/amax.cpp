// y = the largest x over the dimensions `dim`
#include "ops/families/elementwise/reduce.hpp"

namespace chop::ops::amax {
namespace {

void forward(const ForwardCall& call) {
  extreme_forward(
      call, [](double a, double b) { return a > b; },
      [](std::int64_t a, std::int64_t b) { return a > b; });
}

}  // namespace

OpDef define() {
  return extreme_op({
      .name = "amax",
      .doc =
          "y = the largest x over the dimensions `dim`; NaN wins. The gradient is shared equally "
          "among equal elements",
      .method = "amax",
      .torch = "torch.amax(x, dim, keepdim)",
      .forward = forward,
      .onnx = {{"ReduceMax", 13}},
  });
}

}  // namespace chop::ops::amax
