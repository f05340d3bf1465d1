// The gradients of batch normalisation, given dy, x, mean, invstd and, if affine, weight.
// Per channel of n elements, with x̂ = (x − mean) · invstd:
//   dbias = Σ dy        dweight = Σ dy·x̂
//   dx = weight · invstd · (dy − (dbias + x̂·dweight) / n)   batch statistics took part
//   dx = weight · invstd · dy                               running ones were used
// With `relu`, the clamped y comes as last operand and dy counts where y > 0.
#include "ops/core/checks.hpp"
#include "ops/families/layers/batch_norm.hpp"

namespace chop::ops::batch_norm_grad {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& x = call.shape(1);
  if (x.size() < 2) return Error{.what = cat("batch_norm_grad cannot take ", to_string(x))};
  const std::size_t wanted = 4U + (call.flag("affine") ? 1U : 0U) + (call.flag("relu") ? 1U : 0U);
  if (call.in.size() != wanted)
    return Error{.what = cat("batch_norm_grad takes ", wanted,
                             " inputs when affine=", to_python(call.attr("affine")),
                             " and relu=", to_python(call.attr("relu")), ", got ", call.in.size())};
  CH_CHECK(check_shape(call, 0, x));
  if (call.flag("relu")) CH_CHECK(check_shape(call, wanted - 1, x));
  const std::size_t per_channel_end = call.flag("relu") ? wanted - 1 : wanted;
  for (std::size_t i = 2; i < per_channel_end; ++i) CH_CHECK(check_shape(call, i, {x[1]}));
  const TensorType per_channel = {call.in[1].dtype, {x[1]}};
  return std::vector<TensorType>{call.in[1], per_channel, per_channel};
}

void forward(const ForwardCall& call) {
  const ChannelLayout layout(call.in[1]->shape());
  const auto count = static_cast<double>(layout.per_channel());
  const auto dy = [&](std::int64_t i) {
    const bool stopped = call.flag("relu") && !(call.x(call.in.size() - 1)[i] > 0);
    return call.x(0)[i] * (stopped ? 0.0 : 1.0);
  };
  const auto x = call.x(1);
  const auto dx = call.y();
  for (std::int64_t c = 0; c < layout.channels; ++c) {
    const double mean = call.x(2)[c];
    const double invstd = call.x(3)[c];
    const double weight = call.flag("affine") ? call.x(4)[c] : 1.0;
    const auto normalised = [&](std::int64_t i) { return (x[i] - mean) * invstd; };
    double dweight = 0;
    double dbias = 0;
    layout.for_each(c, [&](auto i) {
      dweight += dy(i) * normalised(i);
      dbias += dy(i);
    });
    layout.for_each(c, [&](auto i) {
      const double through_statistics =
          call.flag("training") ? (dbias + normalised(i) * dweight) / count : 0.0;
      dx[i] = weight * invstd * (dy(i) - through_statistics);
    });
    call.y(1)[c] = dweight;
    call.y(2)[c] = dbias;
  }
}

/// `lab` is the reference system's count. Exactly, per element: x̂ takes 2, the two sums 3,
/// dx 1, and 4 more when batch statistics took part.
Cost cost(const CostCall& call) {
  const std::int64_t elements = numel(call.shape(1));
  return {.lab = 4 * elements, .exact = (call.flag("training") ? 10 : 6) * elements};
}

}  // namespace

OpDef define() {
  return {
      .name = "batch_norm_grad",
      .doc = "dx, dweight and dbias of batch normalisation, given dy, x, mean, invstd and weight",
      .mase_type = MaseType::Gradient,
      .min_inputs = 4,
      .max_inputs = 6,
      .attrs = {{"training", false, "whether mean and invstd are the batch's own"},
                {"affine", true, "whether there is a weight"},
                {"relu", false, "whether y was clamped at zero and is given as last operand"}},
      .traits = Trait::TakesRelu,
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.attrs = {{"training", true}},
                   .inputs = {{{5, 3}}, {{5, 3}}, {{3}}, {.shape = {3}, .low = 0.5}, {{3}}}},
                  {.inputs = {{{2, 3, 2}}, {{2, 3, 2}}, {{3}}, {.shape = {3}, .low = 0.5}, {{3}}}},
                  {.attrs = {{"training", true}, {"relu", true}},
                   .inputs = {{{4, 2}},
                              {{4, 2}},
                              {{2}},
                              {.shape = {2}, .low = 0.5},
                              {{2}},
                              {.shape = {4, 2}, .avoid = {0.0}}}},
                  {.attrs = {{"training", true}, {"affine", false}},
                   .inputs = {{{2, 1, 2, 2}}, {{2, 1, 2, 2}}, {{1}}, {.shape = {1}, .low = 0.5}}}},
  };
}

}  // namespace chop::ops::batch_norm_grad
