// What the one- to three-dimensional forms of max, average and adaptive average pooling share.
#include <limits>

#include "ops/core/checks.hpp"
#include "ops/core/rows.hpp"
#include "ops/families/layers/pool.hpp"

namespace chop::ops {
namespace {

Field kernel_attr() {
  return {"kernel_size", Ints{}, "size of the window in each dimension", true};
}
Field stride_attr() {
  return {"stride", Ints{}, "step between windows; empty: the kernel's size"};
}
Field padding_attr() {
  return {"padding", Ints{0}, "added at both ends of each dimension"};
}
Field ceil_attr() {
  return {"ceil_mode", false, "whether a last window may hang over the end"};
}

template <std::size_t kDims>
TypeList pool_infer(const TypedCall& call) {
  CH_CHECK(check_operands(call));
  CH_TRY(const PoolShape pool, pool_shape(call, call.shape(0), kDims));
  return std::vector<TensorType>{
      {call.in[0].dtype, with_image(call.shape(0), kDims, pool.window.out)}};
}

template <std::size_t kDims>
void max_forward(const ForwardCall& call) {
  const PoolShape pool = pool_shape(call, call.in[0]->shape(), kDims).value();
  const Window& win = pool.window;
  const auto image = static_cast<std::size_t>(win.in.area());
  const auto y = call.y();
  std::size_t out = 0;
  for (std::int64_t plane = 0; plane < pool.planes; ++plane) {
    const auto x = call.x(0).subspan(static_cast<std::size_t>(plane) * image, image);
    for_each_position(win, [&](auto od, auto oh, auto ow) {
      const std::int64_t at = largest_in(win, x, od, oh, ow);
      y[out++] = at < 0 ? -std::numeric_limits<double>::infinity() : x[at];
    });
  }
}

/// The window's attributes spelt out for each dimension, as the gradient ops want them.
template <std::size_t kDims>
Attrs window_attrs(const Call& call) {
  const char* stride = call.ints("stride").empty() ? "kernel_size" : "stride";
  return {{"kernel_size", call.ints("kernel_size", kDims)},
          {"stride", call.ints(stride, kDims)},
          {"padding", call.ints("padding", kDims)},
          {"ceil_mode", call.flag("ceil_mode")}};
}

template <std::size_t kDims>
void max_gradient(GradBuilder& g) {
  Attrs attrs = window_attrs<kDims>(g.call());
  attrs["dilation"] = g.call().ints("dilation", kDims);
  g.set(0, g.add("max_pool_grad", {g.output_grad(), g.input(0)}, std::move(attrs)));
}

template <std::size_t kDims>
void avg_forward(const ForwardCall& call) {
  const PoolShape pool = pool_shape(call, call.in[0]->shape(), kDims).value();
  const bool include_pad = call.flag("count_include_pad");
  average(
      pool, [&](auto... position) { return average_patch(pool.window, include_pad, position...); },
      call.x(0), call.y());
}

template <std::size_t kDims>
void avg_gradient(GradBuilder& g) {
  Attrs attrs = window_attrs<kDims>(g.call());
  attrs["count_include_pad"] = g.call().flag("count_include_pad");
  attrs["input_shape"] = g.shape(g.input(0));
  g.set(0, g.add("avg_pool_grad", {g.output_grad()}, std::move(attrs)));
}

/// A comparison or an addition for every tap; the mean's division replaces its first addition.
template <std::size_t kDims, bool kDivides>
Cost pool_cost(const CostCall& call) {
  const std::int64_t taps = product(call.ints("kernel_size", kDims), 0);
  const std::int64_t outputs = numel(call.out[0].shape);
  return {.lab = outputs * taps,
          .exact = outputs * (kDivides ? taps : taps - 1),
          .backward = numel(call.shape(0)) * taps};
}

std::string max_repr(const Call& call) {
  const Ints& kernel = call.ints("kernel_size");
  const Ints& stride = call.ints("stride");
  return cat("kernel_size=", given_repr(kernel),
             ", stride=", given_repr(stride.empty() ? kernel : stride),
             ", padding=", given_repr(call.ints("padding")),
             ", dilation=", given_repr(call.ints("dilation")),
             ", ceil_mode=", to_python(call.attr("ceil_mode")));
}

/// PyTorch keeps tuples in one dimension and what was given in others.
template <std::size_t kDims>
std::string avg_repr(const Call& call) {
  const auto show = [](const Ints& list) {
    return kDims == 1 ? to_python(list) : given_repr(list);
  };
  const Ints& kernel = call.ints("kernel_size");
  const Ints& stride = call.ints("stride");
  return cat("kernel_size=", show(kernel), ", stride=", show(stride.empty() ? kernel : stride),
             ", padding=", show(call.ints("padding")));
}

template <std::size_t kDims>
TypeList adaptive_infer(const TypedCall& call) {
  CH_CHECK(check_operands(call));
  CH_TRY(const PoolShape pool, adaptive_shape(call, call.shape(0), kDims));
  return std::vector<TensorType>{
      {call.in[0].dtype, with_image(call.shape(0), kDims, pool.window.out)}};
}

template <std::size_t kDims>
void adaptive_forward(const ForwardCall& call) {
  const PoolShape pool = adaptive_shape(call, call.in[0]->shape(), kDims).value();
  average(
      pool, [&](auto... position) { return adaptive_patch(pool.window, position...); }, call.x(0),
      call.y());
}

template <std::size_t kDims>
void adaptive_gradient(GradBuilder& g) {
  g.set(0, g.add("adaptive_avg_pool_grad", {g.output_grad()},
                 {{"output_size", g.call().ints("output_size", kDims)},
                  {"input_shape", g.shape(g.input(0))}}));
}

/// The reference system's count, one per input; exactly, patches may overlap.
template <std::size_t kDims>
Cost adaptive_cost(const CostCall& call) {
  const PoolShape pool = adaptive_shape(call, call.shape(0), kDims).value();
  std::int64_t exact = 0;
  for_each_position(pool.window, [&](auto... position) {
    exact += pool.planes * adaptive_patch(pool.window, position...).divisor;
  });
  const std::int64_t inputs = numel(call.shape(0));
  return {.lab = inputs, .exact = exact, .backward = inputs};
}

std::string adaptive_repr(const Call& call) {
  return "output_size=" + given_repr(call.ints("output_size"));
}

}  // namespace

template <std::size_t kDims>
OpDef max_pool_op(OpDef op) {
  op.function = kept(cat("torch.nn.functional.", op.name));
  op.torch = kept(cat("F.", op.name, "(x, kernel_size, stride, padding, dilation, ceil_mode)"));
  op.fx =
      "x, kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode, "
      "return_indices=False";
  op.attrs = {kernel_attr(),
              stride_attr(),
              padding_attr(),
              {"dilation", Ints{1}, "distance between neighbouring taps"},
              ceil_attr()};
  op.infer = pool_infer<kDims>;
  op.forward = max_forward<kDims>;
  op.gradient = max_gradient<kDims>;
  op.cost = pool_cost<kDims, false>;
  op.rows_apart = images_by_row<kDims>;
  op.quantisable = {"data_in"};
  op.onnx = {{"MaxPool", 10}};
  op.repr = max_repr;
  return op;
}
template OpDef max_pool_op<1>(OpDef op);
template OpDef max_pool_op<2>(OpDef op);
template OpDef max_pool_op<3>(OpDef op);

template <std::size_t kDims>
OpDef avg_pool_op(OpDef op) {
  op.torch =
      kept(cat("F.", op.name, "(x, kernel_size, stride, padding, ceil_mode, count_include_pad)"));
  op.attrs = {kernel_attr(),
              stride_attr(),
              padding_attr(),
              ceil_attr(),
              {"count_include_pad", true, "whether padding counts as values of the window"}};
  op.infer = pool_infer<kDims>;
  op.forward = avg_forward<kDims>;
  op.gradient = avg_gradient<kDims>;
  op.cost = pool_cost<kDims, true>;
  op.rows_apart = images_by_row<kDims>;
  op.quantisable = {"data_in"};
  op.onnx = {{"AveragePool", 10}};
  op.repr = avg_repr<kDims>;
  return op;
}
template OpDef avg_pool_op<1>(OpDef op);
template OpDef avg_pool_op<2>(OpDef op);
template OpDef avg_pool_op<3>(OpDef op);

template <std::size_t kDims>
OpDef adaptive_avg_pool_op(OpDef op) {
  op.attrs = {{"output_size", Ints{}, "size of the result in each dimension", true}};
  op.infer = adaptive_infer<kDims>;
  op.forward = adaptive_forward<kDims>;
  op.gradient = adaptive_gradient<kDims>;
  op.cost = adaptive_cost<kDims>;
  op.rows_apart = images_by_row<kDims>;
  op.quantisable = {"data_in"};
  op.onnx = {{"GlobalAveragePool", 1}};
  op.repr = adaptive_repr;
  return op;
}
template OpDef adaptive_avg_pool_op<1>(OpDef op);
template OpDef adaptive_avg_pool_op<2>(OpDef op);
template OpDef adaptive_avg_pool_op<3>(OpDef op);

}  // namespace chop::ops
