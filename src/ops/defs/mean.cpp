// y = Σ x / n over the dimensions `dim`, n the number of elements summed
#include "ops/core/rows.hpp"
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

Cost cost(const CostCall& call) {
  const std::int64_t count = numel(call.shape(0));
  return {.lab = count, .exact = count, .backward = count};
}

}  // namespace

OpDef define() {
  return {
      .name = "mean",
      .doc = "y = Σ x / n over the dimensions `dim`, n the number of elements summed",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.mean",
      .method = "mean",
      .torch = "torch.mean(x, dim, keepdim)",
      .attrs = {{"dim", Ints{}, "dimensions to average over; empty means all"},
                {"keepdim", false, "whether they stay, with size one"}},
      .infer = reduce_type,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .rows_apart = reduced_by_row,
      .onnx = {{"ReduceMean", 13, {{"axes", "dim"}, {"keepdims", "keepdim"}}}},
      .samples = {{.inputs = {{{4, 5}}}},
                  {.attrs = {{"dim", Ints{1}}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"dim", Ints{2, 3}}}, .inputs = {{{2, 3, 2, 2}}}},
                  {.attrs = {{"dim", Ints{-2}}, {"keepdim", true}}, .inputs = {{{2, 3, 2}}}},
                  {.attrs = {{"keepdim", true}}, .inputs = {{{2, 1}}}},
                  {.inputs = {{.shape = {}}}},
                  {.attrs = {{"dim", Ints{1}}}, .inputs = {{{0, 3}}}}},
  };
}

}  // namespace chop::ops::mean
