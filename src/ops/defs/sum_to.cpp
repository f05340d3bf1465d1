// y = x summed over the dimensions in which `shape`, broadcast to x, was stretched.
// The adjoint of broadcasting.
#include "ops/core/common.hpp"

namespace chop::ops::sum_to {
namespace {

TypeList infer(const TypedCall& call) {
  CH_TRY(const Shape back, broadcast(call.ints("shape"), call.shape(0)));
  if (back != call.shape(0))
    return Error{.what = cat("cannot sum ", to_string(call.shape(0)), " to ",
                             to_string(call.ints("shape")))};
  return std::vector<TensorType>{{call.in[0].dtype, call.ints("shape")}};
}

void forward(const ForwardCall& call) {
  const auto x = call.x(0);
  const auto y = call.y();
  const BroadcastIndex at(call.out[0].shape(), call.in[0]->shape());
  for (std::size_t i = 0; i < x.size(); ++i) y[at(i)] += x[i];
}

void gradient(GradBuilder& g) {
  g.set(0, g.add("expand", {g.output_grad()}, {{"shape", g.shape(g.input(0))}}));
}

Cost cost(const CostCall& call) {
  const std::int64_t adds = numel(call.shape(0)) - numel(call.out[0].shape);
  return {.lab = adds, .exact = adds};
}

}  // namespace

OpDef define() {
  return {
      .name = "sum_to",
      .doc = "sum of x over the dimensions broadcasting stretched, back to `shape`",
      .mase_type = MaseType::Gradient,
      .attrs = {{"shape", Ints{}, "shape of the result", true}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .samples = {{.attrs = {{"shape", Ints{3}}}, .inputs = {{{4, 2, 3}}}},
                  {.attrs = {{"shape", Ints{4, 1, 3}}}, .inputs = {{{4, 2, 3}}}},
                  {.attrs = {{"shape", Ints{}}}, .inputs = {{{2, 3}}}}},
  };
}

}  // namespace chop::ops::sum_to
