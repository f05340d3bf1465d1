// The gradients of layer normalisation, given dy, x, mean, invstd and, if affine, weight.
// Per row of n elements, with x̂ = (x − mean) · invstd and g = dy · weight:
//   dx = invstd · (g − (Σ g + x̂ · Σ g·x̂) / n)
// and, summed over rows, dweight = Σ dy·x̂ and dbias = Σ dy.
#include "ops/core/checks.hpp"
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::layer_norm_grad {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& tail = call.ints("normalized_shape");
  const Shape& x = call.shape(1);
  const bool affine = call.flag("elementwise_affine");
  if (const std::size_t wanted = affine ? 5 : 4; call.in.size() != wanted)
    return Error{.what = cat("layer_norm_grad takes ", wanted, " inputs when elementwise_affine=",
                             to_python(call.attr("elementwise_affine")), ", got ", call.in.size())};
  const auto rows =
      static_cast<std::ptrdiff_t>(x.size()) - static_cast<std::ptrdiff_t>(tail.size());
  if (rows < 0 || !std::equal(tail.begin(), tail.end(), x.begin() + rows))
    return Error{.what = cat("layer_norm_grad with normalized_shape=", to_python(tail),
                             " cannot take ", to_string(x))};
  Shape statistics = x;
  std::fill(statistics.begin() + rows, statistics.end(), 1);
  CH_CHECK(check_shape(call, 0, x));
  CH_CHECK(check_shape(call, 2, statistics));
  CH_CHECK(check_shape(call, 3, statistics));
  if (affine) CH_CHECK(check_shape(call, 4, tail));
  const TensorType row = {call.in[1].dtype, tail};
  return std::vector<TensorType>{call.in[1], row, row};
}

void forward(const ForwardCall& call) {
  const auto width = static_cast<std::size_t>(product(call.ints("normalized_shape"), 0));
  const auto count = static_cast<double>(width);
  const bool affine = call.flag("elementwise_affine");
  const auto weight = [&](std::size_t i) { return affine ? call.x(4)[i] : 1.0; };
  for (std::size_t row = 0; row < call.x(2).size(); ++row) {
    const auto dy = call.x(0).subspan(row * width, width);
    const auto x = call.x(1).subspan(row * width, width);
    const auto dx = call.y().subspan(row * width, width);
    const double mean = call.x(2)[row];
    const double invstd = call.x(3)[row];
    const auto normalised = [&](std::size_t i) { return (x[i] - mean) * invstd; };
    double sum = 0;
    double sum_normalised = 0;
    for (std::size_t i = 0; i < width; ++i) {
      sum += dy[i] * weight(i);
      sum_normalised += dy[i] * weight(i) * normalised(i);
      call.y(1)[i] += dy[i] * normalised(i);
      call.y(2)[i] += dy[i];
    }
    for (std::size_t i = 0; i < width; ++i)
      dx[i] = invstd * (dy[i] * weight(i) - (sum + normalised(i) * sum_normalised) / count);
  }
}

}  // namespace

OpDef define() {
  return {
      .name = "layer_norm_grad",
      .doc = "dx, dweight and dbias of layer normalisation, given dy, x, mean, invstd and weight",
      .mase_type = MaseType::Gradient,
      .min_inputs = 4,
      .max_inputs = 5,
      .attrs = {{"normalized_shape", Ints{}, "the last dimensions of x, normalised together", true},
                {"elementwise_affine", true, "whether there is a weight"}},
      .infer = infer,
      .forward = forward,
      // `lab` is the reference system's count. Exactly, per element: x̂ takes 2, g 1, the sums of
      // a row 3, those over rows 3, dx 5.
      .cost = per_input<5, 14, 0, 1>,
      .samples =
          {{.attrs = {{"normalized_shape", Ints{5}}},
            .inputs = {{{3, 5}}, {{3, 5}}, {{3, 1}}, {.shape = {3, 1}, .low = 0.5}, {{5}}}},
           {.attrs = {{"normalized_shape", Ints{2, 3}}, {"elementwise_affine", false}},
            .inputs = {{{2, 2, 3}}, {{2, 2, 3}}, {{2, 1, 1}}, {.shape = {2, 1, 1}, .low = 0.5}}}},
  };
}

}  // namespace chop::ops::layer_norm_grad
