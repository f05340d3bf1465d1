// y = x Wᵀ + b        x [..., in]   W [out, in]   b [out]   y [..., out]
// With `fan_in` each output reads that many inputs: weights are multiplied with a mask [out, in] of
// 0 and 1, which is kept and not trained.
// With the attribute `relu`, which plans set when they fuse, y is clamped at zero.
#include "ops/core/checks.hpp"
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"
#include "ops/core/registry.hpp"
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
  if (const std::int64_t fan_in = call.integer("fan_in"); fan_in > w[1])
    return Error{.what = cat("linear with in_features=", w[1], " cannot have fan_in=", fan_in),
                 .hint = "fan_in is how many of its inputs each output reads; 0: all"};
  TensorType y = call.in[0];
  y.shape.back() = w[0];
  return std::vector<TensorType>{std::move(y)};
}

std::vector<double> present_weights(const ForwardCall& call) {
  std::vector<double> w(call.x(1).begin(), call.x(1).end());
  if (mask_of(call) != nullptr)
    for (std::size_t i = 0; i < w.size(); ++i) w[i] *= call.x(2)[i];
  return w;
}

void forward(const ForwardCall& call) {
  const auto in = static_cast<std::size_t>(call.in[1]->dim(1));
  const auto out = static_cast<std::size_t>(call.in[1]->dim(0));
  const auto x = call.x(0);
  const std::vector<double> w = present_weights(call);
  const auto y = call.y();
  const bool biased = call.flag("bias");
  const bool clamped = call.flag("relu");
  for (std::size_t row = 0; row * out < y.size(); ++row)
    for (std::size_t o = 0; o < out; ++o) {
      double sum = biased ? call.x(call.in.size() - 1)[o] : 0.0;
      for (std::size_t i = 0; i < in; ++i) sum += x[row * in + i] * w[o * in + i];
      y[row * out + o] = clamped && sum < 0 ? 0.0 : sum;
    }
}

void gradient(GradBuilder& g) {
  const bool masked = mask_of(g.call()) != nullptr;
  const Value weight = masked ? g.add("mul", {g.input(1), g.input(2)}) : g.input(1);
  std::vector<Value> inputs = {g.output_grad(), g.input(0), weight};
  Attrs attrs;
  if (g.call().flag("relu")) {
    inputs.push_back(g.output());
    attrs["relu"] = true;
  }
  const Value dx = g.add("linear_grad", std::move(inputs), std::move(attrs));
  g.set(0, dx);
  const Value dw{dx.node, 1};
  g.set(1, masked ? g.add("mul", {dw, g.input(2)}) : dw);
  if (g.call().flag("bias")) g.set(masked ? 3 : 2, {dx.node, 2});
}

std::int64_t inputs_read(const Call& call, std::int64_t in) {
  const std::int64_t fan_in = call.integer("fan_in");
  return fan_in > 0 ? fan_in : in;
}

Cost cost(const CostCall& call) {
  const std::int64_t outputs = numel(call.out[0].shape);
  const std::int64_t in = inputs_read(call, call.shape(1)[1]);
  const std::int64_t macs = outputs * in;
  return {.macs = macs,
          .lab = macs,
          .exact = exact_sums(outputs, in) + (call.flag("bias") ? outputs : 0),
          .backward = 2 * macs};
}

/// PyTorch's default: Kaiming uniform with a = √5, which is ±1/√fan_in.
double bound(const Call& call) {
  return 1.0 / std::sqrt(static_cast<double>(inputs_read(call, call.integer("in_features"))));
}

double one(const Call& /*call*/) {
  return 1;
}

/// Of the drawn values of each output the `fan_in` greatest become 1, the others 0: each choice of
/// inputs is as likely as any other.
void draw_mask(const Call& call, Tensor& drawn) {
  const auto in = static_cast<std::size_t>(drawn.dim(1));
  const auto kept = std::min(in, static_cast<std::size_t>(call.integer("fan_in")));
  const std::span<float> values = drawn.mutable_data<float>();
  std::vector<std::size_t> order(in);
  for (std::size_t row = 0; row < values.size(); row += in) {
    std::iota(order.begin(), order.end(), row);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(values[b], a) < std::pair(values[a], b);
    });
    for (std::size_t i = 0; i < in; ++i) values[order[i]] = i < kept ? 1.0F : 0.0F;
  }
}

Shape weight_shape(const Call& call) {
  return {call.integer("out_features"), call.integer("in_features")};
}

bool rows_apart(const RowsCall& call) {
  return first_by_row(call) && call.shape(0).size() > 1;
}

std::string repr(const Call& call) {
  return cat("in_features=", call.integer("in_features"),
             ", out_features=", call.integer("out_features"),
             ", bias=", to_python(call.attr("bias")),
             call.integer("fan_in") > 0 ? cat(", fan_in=", call.integer("fan_in")) : "");
}

}  // namespace

OpDef define() {
  return {
      .name = "linear",
      .doc = "y = x Wᵀ + b over the last dimension",
      .module = "Linear",
      .function = "torch._C._nn.linear",
      .torch =
          "(F.relu if relu else torch.nn.Identity())(F.linear(x, weight * mask if fan_in else "
          "weight, bias))",
      .fx = "*xs",
      .attrs = {{"in_features", 0, "size of each input", true},
                {"out_features", 0, "size of each output", true},
                {"bias", true, "whether b is added"},
                {.name = "fan_in",
                 .initial = 0,
                 .doc = "how many inputs each output reads, drawn by the seed; 0: all",
                 .bounds = kAtLeastZero},
                {.name = "relu",
                 .initial = false,
                 .doc = "set by plans: whether y is clamped at zero",
                 .internal = true}},
      .params = {{.name = "weight",
                  .shape = weight_shape,
                  .init = {InitKind::Uniform, bound},
                  .role = ParamRole::Weight},
                 {.name = "mask",
                  .shape = weight_shape,
                  .init = {InitKind::Uniform, one, draw_mask},
                  .trainable = false,
                  .when = "fan_in",
                  .role = ParamRole::Mask},
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
                  {.attrs = {{"in_features", 6}, {"out_features", 4}, {"fan_in", 2}},
                   .inputs = {{{3, 6}}}},
                  {.attrs = {{"in_features", 1}, {"out_features", 1}}, .inputs = {{{1}}}}},
  };
}

}  // namespace chop::ops::linear
