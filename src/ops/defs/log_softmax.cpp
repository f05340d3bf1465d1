// y = x - m - log Σ e^(x - m) along `dim`, m the largest x there (so nothing overflows)
#include "ops/families/layers/softmax.hpp"

namespace chop::ops::log_softmax {
namespace {

void forward(const ForwardCall& call) {
  softmax_forward(call, [](double shifted, double sum) { return shifted - std::log(sum); });
}

}  // namespace

OpDef define() {
  return softmax_op({
      .name = "log_softmax",
      .doc =
          "y = x - log Σ eˣ along `dim`. Costs a comparison, an exponential, an addition and two "
          "subtractions per element (exact: the first of each sum and maximum is free, each "
          "sum's logarithm is one more)",
      .module = "LogSoftmax",
      .attrs = {{"dim", -1, "the dimension whose exponentials sum to one", true}},
      .forward = forward,
      .cost = [](const CostCall& call) -> Cost { return softmax_cost(call, 1); },
      .onnx = {{"LogSoftmax", 13, {{"axis", "dim"}}}},
  });
}

}  // namespace chop::ops::log_softmax
