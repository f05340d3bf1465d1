// y = x - mean(x) along the last dimension
#include "ops/core/common.hpp"
#include "ops/core/rows.hpp"

namespace chop::ops::centre {
namespace {

TypeList infer(const TypedCall& call) {
  if (call.shape(0).empty())
    return Error{.what = "centre takes a tensor with a last dimension", .hint = "give it a row"};
  return same_type(call);
}

void forward(const ForwardCall& call) {
  const auto size = static_cast<std::size_t>(call.in[0]->dim(call.in[0]->rank() - 1));
  const auto x = call.x(0);
  const auto y = call.y();
  for (std::size_t first = 0; first < x.size(); first += size) {
    double sum = 0;
    for (std::size_t i = first; i < first + size; ++i) sum += x[i];
    for (std::size_t i = first; i < first + size; ++i)
      y[i] = x[i] - sum / static_cast<double>(size);
  }
}

void gradient(GradBuilder& g) {
  g.set(0, g.add("centre_grad", {g.output_grad()}));
}

Cost cost(const CostCall& call) {
  const std::int64_t count = numel(call.shape(0));
  return {.lab = 2 * count, .exact = 2 * count, .backward = 2 * count};
}

}  // namespace

OpDef define() {
  return {
      .name = "centre",
      .doc = "y = x - mean(x) along the last dimension",
      .mase_type = MaseType::ModuleRelatedFunc,
      .module = "Centre",
      .torch = "x - x.mean(-1, keepdim=True)",
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .quantisable = {"data_in"},
      .samples = {{.inputs = {{{4, 5}}}}, {.inputs = {{{2, 3, 4}}}}, {.inputs = {{{1}}}}},
  };
}

}  // namespace chop::ops::centre
