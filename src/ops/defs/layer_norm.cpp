// y = (x − mean) · invstd · weight + bias, over each row of the last dimensions, those that
// normalized_shape names. Results 1 and 2 are mean and invstd = 1/√(var + eps), shaped like
// x with those dimensions 1; var is the biased one.
#include "ops/core/checks.hpp"
#include "ops/core/common.hpp"
#include "ops/core/rows.hpp"
#include "support/text.hpp"

namespace chop::ops::layer_norm {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& tail = call.ints("normalized_shape");
  const Shape& x = call.shape(0);
  if (tail.empty())
    return Error{.what = "layer_norm needs at least one dimension in normalized_shape"};
  CH_CHECK(check_operands(call));
  const auto rows =
      static_cast<std::ptrdiff_t>(x.size()) - static_cast<std::ptrdiff_t>(tail.size());
  if (rows < 0 || !std::equal(tail.begin(), tail.end(), x.begin() + rows))
    return Error{.what = cat("layer_norm with normalized_shape=", to_python(tail), " cannot take ",
                             to_string(x)),
                 .hint = cat("the last dimensions of its input must be ", to_string(tail))};
  TensorType statistics = call.in[0];
  std::fill(statistics.shape.begin() + rows, statistics.shape.end(), 1);
  return std::vector<TensorType>{call.in[0], statistics, statistics};
}

void forward(const ForwardCall& call) {
  const auto width = static_cast<std::size_t>(product(call.ints("normalized_shape"), 0));
  const auto count = static_cast<double>(width);
  const bool affine = call.flag("elementwise_affine");
  for (std::size_t row = 0; row < call.y(1).size(); ++row) {
    const auto x = call.x(0).subspan(row * width, width);
    const auto y = call.y().subspan(row * width, width);
    double mean = 0;
    for (const double value : x) mean += value;
    mean /= count;
    double var = 0;
    for (const double value : x) var += (value - mean) * (value - mean);
    var /= count;
    const double invstd = 1.0 / std::sqrt(var + call.real("eps"));
    for (std::size_t i = 0; i < width; ++i) {
      y[i] = (x[i] - mean) * invstd;
      if (affine) y[i] = y[i] * call.x(1)[i] + call.x(2)[i];
    }
    call.y(1)[row] = mean;
    call.y(2)[row] = invstd;
  }
}

void gradient(GradBuilder& g) {
  std::vector<Value> inputs = {g.output_grad(), g.input(0), g.output(1), g.output(2)};
  const bool affine = g.call().flag("elementwise_affine");
  if (affine) inputs.push_back(g.input(1));
  const Value dx = g.add(
      "layer_norm_grad", std::move(inputs),
      {{"normalized_shape", g.call().ints("normalized_shape")}, {"elementwise_affine", affine}});
  g.set(0, dx);
  if (!affine) return;
  g.set(1, {dx.node, 1});
  g.set(2, {dx.node, 2});
}

/// Exactly, per element: 1 for the mean, 3 for the variance, −, · and, if affine, · and +;
/// per row: + eps, √, 1/.
Cost cost(const CostCall& call) {
  const std::int64_t elements = numel(call.shape(0));
  return {
      .lab = 5 * elements,
      .exact = (call.flag("elementwise_affine") ? 8 : 6) * elements + 3 * numel(call.out[1].shape),
      .backward = 5 * elements};
}

bool rows_apart(const RowsCall& call) {
  return first_by_row(call) && call.shape(0).size() > call.ints("normalized_shape").size();
}

std::string repr(const Call& call) {
  return cat(to_python(call.attr("normalized_shape")), ", eps=", python_repr(call.real("eps")),
             ", elementwise_affine=", to_python(call.attr("elementwise_affine")));
}

Shape tail_shape(const Call& call) {
  return call.ints("normalized_shape");
}

}  // namespace

OpDef define() {
  return {
      .name = "layer_norm",
      .doc = "y = (x − mean) / √(var + eps) · weight + bias over the last dimensions",
      .module = "LayerNorm",
      .torch = "F.layer_norm(x, normalized_shape, weight, bias, eps)",
      .fx = "x0, (normalized_shape), weight=x1, bias=x2, eps=eps",
      .attrs = {{"normalized_shape", Ints{}, "the last dimensions of x, normalised together", true},
                {"eps", 1e-5, "added to the variance"},
                {"elementwise_affine", true, "whether weight and bias are applied"}},
      .params = {{"weight", tail_shape, {InitKind::Ones}, true, "elementwise_affine"},
                 {"bias", tail_shape, {InitKind::Zeros}, true, "elementwise_affine"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .rows_apart = rows_apart,
      .quantisable = {"data_in", {"weight", false}, {"bias", false}},
      .onnx = {{"LayerNormalization", 17}},
      .repr = repr,
      .samples = {{.attrs = {{"normalized_shape", Ints{5}}}, .inputs = {{{3, 5}}}},
                  {.attrs = {{"normalized_shape", Ints{2, 3}}, {"eps", 0.1}},
                   .inputs = {{{2, 2, 2, 3}}}},
                  {.attrs = {{"normalized_shape", Ints{4}}, {"elementwise_affine", false}},
                   .inputs = {{{2, 3, 4}}}},
                  {.attrs = {{"normalized_shape", Ints{3}}}, .inputs = {{{3}}}},
                  {.attrs = {{"normalized_shape", Ints{1}}}, .inputs = {{{2, 1}}}}},
  };
}

}  // namespace chop::ops::layer_norm
