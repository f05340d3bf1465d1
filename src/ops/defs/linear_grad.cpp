// The three gradients of y = x Wᵀ + b, given dy, x and W:
//   dx = dy W        dW = dyᵀ x        db = Σ dy over all rows
// With `relu`, y = max(0, x Wᵀ + b) comes as fourth operand and dy counts where y > 0.
#include "ops/core/checks.hpp"
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::linear_grad {
namespace {

TypeList infer(const TypedCall& call) {
  if (const std::size_t wanted = call.flag("relu") ? 4 : 3; call.in.size() != wanted)
    return Error{.what = cat("linear_grad takes ", wanted, " inputs when relu=",
                             to_python(call.attr("relu")), ", got ", call.in.size())};
  CH_CHECK(need_real(call));
  const Shape& dy = call.shape(0);
  const Shape& w = call.shape(2);
  if (dy.empty() || w.size() != 2 || w[0] != dy.back())
    return Error{.what = cat("linear_grad cannot take gradients ", to_string(dy),
                             " of a layer with the weight ", to_string(w))};
  Shape x = dy;
  x.back() = w[1];
  CH_CHECK(check_shape(call, 1, x));
  if (call.flag("relu")) CH_CHECK(check_shape(call, 3, dy));
  return std::vector<TensorType>{call.in[1], call.in[2], {call.in[0].dtype, {dy.back()}}};
}

void forward(const ForwardCall& call) {
  const auto in = static_cast<std::size_t>(call.in[2]->dim(1));
  const auto out = static_cast<std::size_t>(call.in[2]->dim(0));
  const auto dy = call.x(0);
  const auto x = call.x(1);
  const auto w = call.x(2);
  const auto dx = call.y(0);
  const auto dw = call.y(1);
  const auto db = call.y(2);
  for (std::size_t row = 0; row * out < dy.size(); ++row)
    for (std::size_t o = 0; o < out; ++o) {
      const double slope = call.flag("relu") && !(call.x(3)[row * out + o] > 0) ? 0.0 : 1.0;
      const double d = dy[row * out + o] * slope;
      db[o] += d;
      for (std::size_t i = 0; i < in; ++i) {
        dx[row * in + i] += d * w[o * in + i];
        dw[o * in + i] += d * x[row * in + i];
      }
    }
}

Cost cost(const CostCall& call) {
  const std::int64_t out = call.shape(2)[0];
  const std::int64_t in = call.shape(2)[1];
  const std::int64_t rows = out == 0 ? 0 : numel(call.shape(0)) / out;
  const std::int64_t macs = 2 * rows * out * in;
  return {.macs = macs,
          .lab = macs,
          .exact = exact_sums(rows * in, out) + exact_sums(out * in, rows) +
                   out * std::max<std::int64_t>(rows - 1, 0)};
}

}  // namespace

OpDef define() {
  return {
      .name = "linear_grad",
      .doc = "dx = dy W, dW = dyᵀ x, db = Σ dy",
      .mase_type = MaseType::Gradient,
      .min_inputs = 3,
      .max_inputs = 4,
      .attrs = {{"relu", false, "whether y = max(0, x Wᵀ + b), given as fourth operand"}},
      .traits = Trait::TakesRelu,
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.inputs = {{{5, 4}}, {{5, 3}}, {{4, 3}}}},
                  {.attrs = {{"relu", true}},
                   .inputs = {{{5, 4}}, {{5, 3}}, {{4, 3}}, {.shape = {5, 4}, .avoid = {0.0}}}},
                  {.inputs = {{{2, 3, 5}}, {{2, 3, 16}}, {{5, 16}}}}},
  };
}

}  // namespace chop::ops::linear_grad
