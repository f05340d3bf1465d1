// y = Σ x / n over the dimensions `dim`, n the number of elements summed
#include "ops/core/costs.hpp"
#include "ops/families/elementwise/reduce.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::mean {
namespace {

void forward(const ForwardCall& call) {
  sum_forward(call);
  const auto n = static_cast<double>(reduced_count(call, call.in[0]->shape()));
  for (double& y : call.y()) y /= n;  // of nothing at all: 0/0, NaN, as in PyTorch
}

void gradient(GradBuilder& g) {
  const auto n = static_cast<double>(reduced_count(g.call(), g.shape(g.input(0))));
  const Value share = g.add("div", {g.output_grad()}, {{"other", n}});
  g.set(0, expand_reduced(g, share));
}

}  // namespace

OpDef define() {
  return reduce_op({
      .name = "mean",
      .doc = "y = Σ x / n over the dimensions `dim`, n the number of elements summed",
      .method = "mean",
      .torch = "torch.mean(x, dim, keepdim)",
      .attrs = {{"dim", Ints{}, "dimensions to average over; empty means all"},
                {"keepdim", false, "whether they stay, with size one"}},
      .infer = reduce_type,
      .forward = forward,
      .gradient = gradient,
      .cost = per_input<1, 1, 1>,
      .onnx = {{"ReduceMean", 13}},
      .samples = {{.attrs = {{"dim", Ints{2, 3}}}, .inputs = {{{2, 3, 2, 2}}}}},
  });
}

}  // namespace chop::ops::mean
