// dx = dy - e^y · Σ dy along `dim`, given dy and y = log_softmax(x)
#include "ops/families/layers/softmax.hpp"

namespace chop::ops::log_softmax_grad {
namespace {

void forward(const ForwardCall& call) {
  softmax_grad_forward(
      call, [](double dy, double /*y*/) { return dy; },
      [](double dy, double y, double sum) { return dy - std::exp(y) * sum; });
}

}  // namespace

OpDef define() {
  return softmax_grad_op({
      .name = "log_softmax_grad",
      .doc = "dx = dy - e^y · Σ dy along `dim`, given dy and y = log_softmax(x)",
      .attrs = {{"dim", -1, "the dimension whose exponentials sum to one", true}},
      .forward = forward,
  });
}

}  // namespace chop::ops::log_softmax_grad
