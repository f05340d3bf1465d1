// dx = dy - mean(dy) along the last dimension
#include "ops/core/common.hpp"

namespace chop::ops::centre_grad {
namespace {

void forward(const ForwardCall& call) {
  const auto size = static_cast<std::size_t>(call.in[0]->dim(call.in[0]->rank() - 1));
  const auto dy = call.x(0);
  const auto dx = call.y();
  for (std::size_t first = 0; first < dy.size(); first += size) {
    double sum = 0;
    for (std::size_t i = first; i < first + size; ++i) sum += dy[i];
    for (std::size_t i = first; i < first + size; ++i)
      dx[i] = dy[i] - sum / static_cast<double>(size);
  }
}

Cost cost(const CostCall& call) {
  const std::int64_t count = numel(call.shape(0));
  return {.lab = 2 * count, .exact = 2 * count};
}

}  // namespace

OpDef define() {
  return {
      .name = "centre_grad",
      .doc = "dx = dy - mean(dy) along the last dimension",
      .mase_type = MaseType::Gradient,
      .infer = same_type,
      .forward = forward,
      .cost = cost,
      .samples = {{.inputs = {{{4, 5}}}}, {.inputs = {{{2, 3, 4}}}}},
  };
}

}  // namespace chop::ops::centre_grad
