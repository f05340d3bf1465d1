// y = e^(x - m) / Σ e^(x - m) along `dim`, m the largest x there (so nothing overflows)
#include "ops/families/layers/softmax.hpp"

namespace chop::ops::softmax {
namespace {

void forward(const ForwardCall& call) {
  softmax_forward(call, [](double shifted, double sum) { return std::exp(shifted) / sum; });
}

}  // namespace

OpDef define() {
  return softmax_op({
      .name = "softmax",
      .doc = "y = eˣ / Σ eˣ along `dim`. Costs a comparison, a subtraction, an exponential, an "
             "addition and a division per element (exact: the first of each sum and maximum is "
             "free)",
      .module = "Softmax",
      .attrs = {{"dim", -1, "the dimension that sums to one", true}},
      .forward = forward,
      .cost = [](const CostCall& call) -> Cost { return softmax_cost(call, 2); },
      .onnx = {{"Softmax", 13, {{"axis", "dim"}}}},
  });
}

}  // namespace chop::ops::softmax
