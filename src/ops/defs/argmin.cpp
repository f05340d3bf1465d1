// y = the index of the smallest x along `dim`
#include "ops/families/elementwise/reduce.hpp"

namespace chop::ops::argmin {
namespace {

void forward(const ForwardCall& call) {
  arg_forward(
      call, [](double a, double b) { return a < b; },
      [](std::int64_t a, std::int64_t b) { return a < b; });
}

}  // namespace

OpDef define() {
  return arg_op({
      .name = "argmin",
      .doc =
          "y = the index of the smallest x along `dim`, as i64; the first of equal ones, and NaN "
          "before all numbers",
      .function = "torch.argmin",
      .method = "argmin",
      .torch = "(x.shape[dim] - 1 - torch.argmin(x.flip(dim), dim, keepdim)) if select_last "
               "else torch.argmin(x, dim, keepdim)",
      .forward = forward,
      .onnx = {{"ArgMin", 12}},
  });
}

}  // namespace chop::ops::argmin
