// loss = Σ (x - target)², for "mean" divided by the number of elements
#include "ops/core/costs.hpp"
#include "ops/families/layers/losses.hpp"

namespace chop::ops::mse_loss {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  if (call.shape(0) != call.shape(1))
    return Error{.what = cat("mse_loss of ", to_string(call.shape(0)), " against targets ",
                             to_string(call.shape(1))),
                 .hint =
                     "both need the same shape; broadcasting would compare what does not "
                     "belong together"};
  return std::vector<TensorType>{{call.in[0].dtype, {}}};
}

double divisor(const Call& call, const Shape& shape) {
  return call.text("reduction") == "mean" ? static_cast<double>(numel(shape)) : 1.0;
}

void forward(const ForwardCall& call) {
  const auto x = call.x(0);
  const auto target = call.x(1);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - target[i]) * (x[i] - target[i]);
  call.y()[0] = sum / divisor(call, call.in[0]->shape());
}

void gradient(GradBuilder& g) {
  const Value difference = g.add("sub", {g.input(0), g.input(1)});
  const double factor = 2 / divisor(g.call(), g.shape(g.input(0)));
  const Value scale = g.add("mul", {g.output_grad()}, {{"other", factor}});
  const Value dx = g.add("mul", {difference, scale});
  g.set(0, dx);
  g.set(1, g.add("mul", {dx}, {{"other", -1.0}}));
}

}  // namespace

OpDef define() {
  return {
      .name = "mse_loss",
      .doc =
          "loss = Σ (x - target)², averaged or summed over all elements. Costs a subtraction, a "
          "multiplication and an addition per element",
      .module = "MSELoss",
      .torch = "F.mse_loss(x0, x1, reduction=reduction)",
      .fx = "*xs, size_average=None, reduce=None, reduction=reduction",
      .min_inputs = 2,
      .attrs = {loss_reduction("elements")},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = per_input<3, 3, 2>,
      .samples = {{.inputs = {{{4, 5}}, {{4, 5}}}},
                  {.attrs = {{"reduction", "sum"}}, .inputs = {{{3, 1, 2}}, {{3, 1, 2}}}},
                  {.inputs = {{.shape = {}}, {.shape = {}}}},
                  {.attrs = {{"reduction", "sum"}}, .inputs = {{{0, 2}}, {{0, 2}}}}},
  };
}

}  // namespace chop::ops::mse_loss
