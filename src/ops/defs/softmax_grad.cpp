// dx = y · (dy - Σ dy·y) along `dim`, given dy and y = softmax(x)
#include "ops/families/layers/softmax.hpp"

namespace chop::ops::softmax_grad {
namespace {

void forward(const ForwardCall& call) {
  softmax_grad_forward(
      call, [](double dy, double y) { return dy * y; },
      [](double dy, double y, double sum) { return y * (dy - sum); });
}

}  // namespace

OpDef define() {
  return softmax_grad_op({
      .name = "softmax_grad",
      .doc = "dx = y · (dy - Σ dy·y) along `dim`, given dy and y = softmax(x)",
      .attrs = {{"dim", -1, "the dimension that sums to one", true}},
      .forward = forward,
  });
}

}  // namespace chop::ops::softmax_grad
