// y = the index of the largest x along `dim`
#include "ops/families/elementwise/reduce.hpp"

namespace chop::ops::argmax {
namespace {

void forward(const ForwardCall& call) {
  arg_forward(
      call, [](double a, double b) { return a > b; },
      [](std::int64_t a, std::int64_t b) { return a > b; });
}

}  // namespace

OpDef define() {
  return arg_op({
      .name = "argmax",
      .doc = "y = the index of the largest x along `dim`, as i64; the first of equal ones, and NaN "
             "before all numbers",
      .function = "torch.argmax",
      .method = "argmax",
      .torch = "(x.shape[dim] - 1 - torch.argmax(x.flip(dim), dim, keepdim)) if select_last "
               "else torch.argmax(x, dim, keepdim)",
      .forward = forward,
      .onnx = {{"ArgMax", 12}},
  });
}

}  // namespace chop::ops::argmax
