// y = (x − mean) / √(var + eps) · weight + bias per channel of each sample of x [N, C, ...];
// results 1 and 2 are the means and 1/√(var + eps), [N · C].
#include "ops/core/checks.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::instance_norm {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(check_operands(call));
  const Shape& x = call.shape(0);
  if (x.size() < 3)
    return Error{.what = cat("instance_norm cannot take ", to_string(x)),
                 .hint = "its input must be [N, C, ...] with at least one more dimension"};
  CH_CHECK(check_shape(call, 1, {x[1]}));
  CH_CHECK(check_shape(call, 2, {x[1]}));
  const TensorType per_lane = {call.in[0].dtype, {x[0] * x[1]}};
  return std::vector<TensorType>{call.in[0], per_lane, per_lane};
}

void forward(const ForwardCall& call) {
  const auto weight = call.x(1);
  const auto bias = call.x(2);
  const auto inner = static_cast<std::size_t>(product(call.in[0]->shape(), 2));
  const double count = std::max(1.0, static_cast<double>(inner));
  for (std::size_t lane = 0; lane < call.y(1).size(); ++lane) {
    const auto x = call.x(0).subspan(lane * inner, inner);
    const auto y = call.y().subspan(lane * inner, inner);
    double mean = 0;
    for (const double value : x) mean += value;
    mean /= count;
    double var = 0;
    for (const double value : x) var += (value - mean) * (value - mean);
    const double invstd = 1.0 / std::sqrt(var / count + call.real("eps"));
    const std::size_t c = lane % weight.size();
    for (std::size_t i = 0; i < inner; ++i) y[i] = (x[i] - mean) * invstd * weight[c] + bias[c];
    call.y(1)[lane] = mean;
    call.y(2)[lane] = invstd;
  }
}

/// Every channel of every sample is a channel of one batch normalisation of [1, N · C, inner].
void gradient(GradBuilder& g) {
  const Shape x = g.shape(g.input(0));
  const Shape lanes = {1, x[0] * x[1], product(x, 2)};
  const auto as = [&](Value value, Shape shape) {
    return g.add("reshape", {value}, {{"shape", std::move(shape)}});
  };
  const Value weight =
      as(g.add("expand", {g.input(1)}, {{"shape", Shape{x[0], x[1]}}}), {x[0] * x[1]});
  const Value dx =
      g.add("batch_norm_grad",
            {as(g.output_grad(), lanes), as(g.input(0), lanes), g.output(1), g.output(2), weight},
            {{"training", true}});
  g.set(0, as(dx, x));
  for (std::uint32_t k = 1; k < 3; ++k) g.set(k, g.sum_to(as({dx.node, k}, {x[0], x[1]}), {x[1]}));
}

/// As batch normalisation with the statistics of its own batch.
Cost cost(const CostCall& call) {
  const std::int64_t elements = numel(call.shape(0));
  return {.lab = 4 * elements,
          .exact = 8 * elements + 3 * numel(call.out[1].shape),
          .backward = 4 * elements};
}

}  // namespace

OpDef define() {
  return {
      .name = "instance_norm",
      .doc =
          "y = (x − mean) / √(var + eps) · weight + bias, with mean and var of each channel of "
          "each sample; the inputs are x [N, C, ...], weight [C] and bias [C]",
      .torch = "F.instance_norm(x0, weight=x1, bias=x2, eps=eps) if x0.numel() else x0 * 1",
      .fx = "x0, weight=x1, bias=x2, eps=eps",
      .min_inputs = 3,
      .attrs = {{"eps", 1e-5, "added to the variance"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .quantisable = {"data_in"},
      .onnx = {{"InstanceNormalization", 6, {{"epsilon", "eps"}}}},
      .samples = {{.inputs = {{{2, 3, 4}}, {{3}}, {{3}}}},
                  {.attrs = {{"eps", 0.1}}, .inputs = {{{2, 2, 2, 3}}, {{2}}, {{2}}}},
                  {.inputs = {{{1, 1, 2, 1, 2}}, {{1}}, {{1}}}},
                  {.inputs = {{{0, 2, 3}}, {{2}}, {{2}}}}},
  };
}

}  // namespace chop::ops::instance_norm
