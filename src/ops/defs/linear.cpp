// y = x Wᵀ + b        x [..., in]   W [out, in]   b [out]   y [..., out]
// With the attribute `relu`, which plans set when they fuse, y is clamped at zero.
#include "ops/core/checks.hpp"
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"
#include "ops/core/rows.hpp"

namespace chop::ops::linear {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& x = call.shape(0);
  const Shape& w = call.shape(static_cast<std::size_t>(call.find("weight")));
  if (x.empty() || x.back() != w[1])
    return Error{.what = cat("linear with in_features=", w[1], " cannot take ", to_string(x)),
                 .hint = cat("the last dimension of its input must be ", w[1])};
  CH_CHECK(check_operands(call));
  TensorType y = call.in[0];
  y.shape.back() = w[0];
  return std::vector<TensorType>{std::move(y)};
}

void forward(const ForwardCall& call) {
  const auto in = static_cast<std::size_t>(call.in[1]->dim(1));
  const auto out = static_cast<std::size_t>(call.in[1]->dim(0));
  const auto x = call.x(0);
  const auto w = call.x(1);
  const auto y = call.y();
  const bool biased = call.flag("bias");
  const bool clamped = call.flag("relu");
  for (std::size_t row = 0; row * out < y.size(); ++row)
    for (std::size_t o = 0; o < out; ++o) {
      double sum = biased ? call.x(2)[o] : 0.0;
      for (std::size_t i = 0; i < in; ++i) sum += x[row * in + i] * w[o * in + i];
      y[row * out + o] = clamped && sum < 0 ? 0.0 : sum;
    }
}

void gradient(GradBuilder& g) {
  std::vector<Value> inputs = {g.output_grad(), g.input(0), g.input(1)};
  Attrs attrs;
  if (g.call().flag("relu")) {
    inputs.push_back(g.output());
    attrs["relu"] = true;
  }
  const Value dx = g.add("linear_grad", std::move(inputs), std::move(attrs));
  g.set(0, dx);
  g.set(1, {dx.node, 1});
  if (g.call().flag("bias")) g.set(2, {dx.node, 2});
}

Cost cost(const CostCall& call) {
  const std::int64_t outputs = numel(call.out[0].shape);
  const std::int64_t in = call.shape(1)[1];
  const std::int64_t macs = outputs * in;
  return {.macs = macs,
          .lab = macs,
          .exact = exact_sums(outputs, in) + (call.flag("bias") ? outputs : 0),
          .backward = 2 * macs};
}

/// PyTorch's default: Kaiming uniform with a = √5, which is ±1/√fan_in.
double bound(const Call& call) {
  return 1.0 / std::sqrt(static_cast<double>(call.integer("in_features")));
}

bool rows_apart(const RowsCall& call) {
  return first_by_row(call) && call.shape(0).size() > 1;
}

std::string repr(const Call& call) {
  return cat("in_features=", call.integer("in_features"),
             ", out_features=", call.integer("out_features"),
             ", bias=", to_python(call.attr("bias")));
}

}  // namespace

OpDef define() {
  return {
      .name = "linear",
      .doc = "y = x Wᵀ + b over the last dimension",
      .module = "Linear",
      .function = "torch._C._nn.linear",
      .torch = "(F.relu if relu else torch.nn.Identity())(F.linear(x, weight, bias))",
      .fx = "*xs",
      .attrs = {{"in_features", 0, "size of each input", true},
                {"out_features", 0, "size of each output", true},
                {"bias", true, "whether b is added"},
                {.name = "relu",
                 .initial = false,
                 .doc = "set by plans: whether y is clamped at zero",
                 .internal = true}},
      .params = {{.name = "weight",
                  .shape =
                      [](const Call& c) {
                        return Shape{c.integer("out_features"), c.integer("in_features")};
                      },
                  .init = {InitKind::Uniform, bound},
                  .role = ParamRole::Weight},
                 {.name = "bias",
                  .shape = [](const Call& c) { return Shape{c.integer("out_features")}; },
                  .init = {InitKind::Uniform, bound},
                  .when = "bias",
                  .role = ParamRole::Bias}},
      .traits = Trait::TakesRelu | Trait::CountsBits,
      .weight_axis = -1,
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .rows_apart = rows_apart,
      .quantisable = {"data_in", "weight", {"bias", false}},
      .onnx = {{"Gemm", 7}},
      .repr = repr,
      .samples = {{.attrs = {{"in_features", 3}, {"out_features", 4}}, .inputs = {{{5, 3}}}},
                  {.attrs = {{"in_features", 16}, {"out_features", 5}, {"bias", false}},
                   .inputs = {{{2, 3, 16}}}},
                  {.attrs = {{"in_features", 5}, {"out_features", 4}, {"relu", true}},
                   .inputs = {{{6, 5}}}},
                  {.attrs = {{"in_features", 1}, {"out_features", 1}}, .inputs = {{{1}}}}},
  };
}

}  // namespace chop::ops::linear
