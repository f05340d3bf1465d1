// What the one- to three-dimensional forms of max, average and adaptive average pooling share.
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

TypeList pool_infer(const TypedCall& call) {
  CH_CHECK(check_operands(call));
  CH_TRY(const PoolShape pool, pool_shape(call, call.shape(0), call.op.dims));
  return std::vector<TensorType>{
      {call.in[0].dtype, with_image(call.shape(0), call.op.dims, pool.window.out)}};
}

void max_forward(const ForwardCall& call) {
  const PoolShape pool = pool_shape(call, call.in[0]->shape(), call.op.dims).value();
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
Attrs window_attrs(const Call& call) {
  const char* stride = call.ints("stride").empty() ? "kernel_size" : "stride";
  return {{"kernel_size", call.ints("kernel_size", call.op.dims)},
          {"stride", call.ints(stride, call.op.dims)},
          {"padding", call.ints("padding", call.op.dims)},
          {"ceil_mode", call.flag("ceil_mode")}};
}

void max_gradient(GradBuilder& g) {
  Attrs attrs = window_attrs(g.call());
  attrs["dilation"] = g.call().ints("dilation", g.call().op.dims);
  g.set(0, g.add("max_pool_grad", {g.output_grad(), g.input(0)}, std::move(attrs)));
}

void avg_forward(const ForwardCall& call) {
  const PoolShape pool = pool_shape(call, call.in[0]->shape(), call.op.dims).value();
  const bool include_pad = call.flag("count_include_pad");
  average(
      pool, [&](auto... position) { return average_patch(pool.window, include_pad, position...); },
      call.x(0), call.y());
}

void avg_gradient(GradBuilder& g) {
  Attrs attrs = window_attrs(g.call());
  attrs["count_include_pad"] = g.call().flag("count_include_pad");
  attrs["input_shape"] = g.shape(g.input(0));
  g.set(0, g.add("avg_pool_grad", {g.output_grad()}, std::move(attrs)));
}

/// A comparison or an addition for every tap; the mean's division replaces its first addition.
template <bool kDivides>
Cost pool_cost(const CostCall& call) {
  const std::int64_t taps = product(call.ints("kernel_size", call.op.dims), 0);
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
std::string avg_repr(const Call& call) {
  const auto show = [&](const Ints& list) {
    return call.op.dims == 1 ? to_python(list) : given_repr(list);
  };
  const Ints& kernel = call.ints("kernel_size");
  const Ints& stride = call.ints("stride");
  return cat("kernel_size=", show(kernel), ", stride=", show(stride.empty() ? kernel : stride),
             ", padding=", show(call.ints("padding")));
}

TypeList adaptive_infer(const TypedCall& call) {
  CH_CHECK(check_operands(call));
  CH_TRY(const PoolShape pool, adaptive_shape(call, call.shape(0), call.op.dims));
  return std::vector<TensorType>{
      {call.in[0].dtype, with_image(call.shape(0), call.op.dims, pool.window.out)}};
}

void adaptive_forward(const ForwardCall& call) {
  const PoolShape pool = adaptive_shape(call, call.in[0]->shape(), call.op.dims).value();
  average(
      pool, [&](auto... position) { return adaptive_patch(pool.window, position...); }, call.x(0),
      call.y());
}

void adaptive_gradient(GradBuilder& g) {
  g.set(0, g.add("adaptive_avg_pool_grad", {g.output_grad()},
                 {{"output_size", g.call().ints("output_size", g.call().op.dims)},
                  {"input_shape", g.shape(g.input(0))}}));
}

/// The reference system's count, one per input; exactly, patches may overlap.
Cost adaptive_cost(const CostCall& call) {
  const PoolShape pool = adaptive_shape(call, call.shape(0), call.op.dims).value();
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

std::vector<Sample> max_pool_samples(std::size_t dims) {
  return in_dims(
      dims,
      {{.attrs = {{"kernel_size", Ints{2}}},
        .inputs = {{.shape = {2, 2, 2, 4, 5}, .distinct = true}}},
       {.attrs = {{"kernel_size", Ints{3}}, {"stride", Ints{2}}, {"padding", Ints{1}}},
        .inputs = {{.shape = {1, 2, 4, 5, 4}, .distinct = true}}},
       {.attrs = {{"kernel_size", Ints{1, 3, 2}},
                  {"stride", Ints{1, 1, 3}},
                  {"padding", Ints{0, 1, 0}},
                  {"ceil_mode", true}},
        .inputs = {{.shape = {1, 1, 2, 3, 6}, .distinct = true}}},
       {.attrs = {{"kernel_size", Ints{2}}, {"dilation", Ints{2, 2, 1}}, {"stride", Ints{1}}},
        .inputs = {{.shape = {1, 2, 3, 4, 3}, .distinct = true}}},
       {.attrs = {{"kernel_size", Ints{3}},
                  {"stride", Ints{2}},
                  {"padding", Ints{1}},
                  {"dilation", Ints{2}},
                  {"ceil_mode", true}},
        .inputs = {{.shape = {1, 1, 4, 5, 8}, .distinct = true}}},
       {.attrs = {{"kernel_size", Ints{2}}, {"stride", Ints{3}}, {"ceil_mode", true}},
        .inputs = {{.shape = {2, 1, 4, 3, 6}, .distinct = true}}},
       {.attrs = {{"kernel_size", Ints{2}},
                  {"stride", Ints{2}},
                  {"padding", Ints{1}},
                  {"ceil_mode", true}},
        .inputs = {{.shape = {1, 1, 3, 4, 5}, .distinct = true}}},
       {.attrs = {{"kernel_size", Ints{1}}},
        .inputs = {{.shape = {1, 1, 1, 1, 1}, .distinct = true}}},
       {.attrs = {{"kernel_size", Ints{2}}}, .inputs = {{.shape = {2, 3, 3, 3}, .distinct = true}}},
       {.attrs = {{"kernel_size", Ints{3}}, {"stride", Ints{1}}},
        .inputs = {{.shape = {2, 3, 4, 5}, .distinct = true}}}});
}

}  // namespace

OpDef max_pool_op(OpDef op) {
  op.torch = kept(cat("F.", op.name, "(x, kernel_size, stride, padding, dilation, ceil_mode)"));
  op.fx =
      "x, kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode, "
      "return_indices=False";
  op.attrs = {kernel_attr(),
              stride_attr(),
              padding_attr(),
              {"dilation", Ints{1}, "distance between neighbouring taps"},
              ceil_attr()};
  op.infer = pool_infer;
  op.forward = max_forward;
  op.gradient = max_gradient;
  op.cost = pool_cost<false>;
  op.rows_apart = images_by_row;
  op.quantisable = {"data_in"};
  op.onnx = {{"MaxPool", 10}};
  op.repr = max_repr;
  op.samples = max_pool_samples(op.dims);
  return op;
}

OpDef avg_pool_op(OpDef op) {
  op.torch =
      kept(cat("F.", op.name, "(x, kernel_size, stride, padding, ceil_mode, count_include_pad)"));
  op.attrs = {kernel_attr(),
              stride_attr(),
              padding_attr(),
              ceil_attr(),
              {"count_include_pad", true, "whether padding counts as values of the window"}};
  op.infer = pool_infer;
  op.forward = avg_forward;
  op.gradient = avg_gradient;
  op.cost = pool_cost<true>;
  op.rows_apart = images_by_row;
  op.quantisable = {"data_in"};
  op.onnx = {{"AveragePool", 10}};
  op.repr = avg_repr;
  op.samples = in_dims(
      op.dims,
      {{.attrs = {{"kernel_size", Ints{2}}}, .inputs = {{{2, 2, 2, 4, 5}}}},
       {.attrs = {{"kernel_size", Ints{3}}, {"stride", Ints{2}}, {"padding", Ints{1}}},
        .inputs = {{{1, 2, 4, 5, 4}}}},
       {.attrs = {{"kernel_size", Ints{1, 3, 2}},
                  {"stride", Ints{1, 1, 3}},
                  {"padding", Ints{0, 1, 0}},
                  {"ceil_mode", true},
                  {"count_include_pad", false}},
        .inputs = {{{1, 1, 2, 3, 6}}}},
       {.attrs = {{"kernel_size", Ints{3}},
                  {"stride", Ints{2}},
                  {"padding", Ints{1}},
                  {"ceil_mode", true}},
        .inputs = {{{1, 2, 3, 4, 6}}}},
       {.attrs = {{"kernel_size", Ints{3}},
                  {"stride", Ints{2}},
                  {"padding", Ints{1}},
                  {"ceil_mode", true},
                  {"count_include_pad", false}},
        .inputs = {{{1, 2, 3, 4, 6}}}},
       {.attrs = {{"kernel_size", Ints{2}},
                  {"stride", Ints{2, 1, 1}},
                  {"padding", Ints{1, 0, 1}},
                  {"ceil_mode", true}},
        .inputs = {{{1, 3, 2, 2}}}},
       {.attrs = {{"kernel_size", Ints{1}}}, .inputs = {{{1, 1, 1, 1, 1}}}},
       {.attrs = {{"kernel_size", Ints{2}}}, .inputs = {{{2, 3, 3, 3}}}},
       {.attrs = {{"kernel_size", Ints{3}}, {"stride", Ints{1}}}, .inputs = {{{2, 3, 4, 5}}}}});
  return op;
}

OpDef adaptive_avg_pool_op(OpDef op) {
  const std::string repeated = op.dims == 1 ? "" : cat(" * (", op.dims, " // len(output_size))");
  op.torch = kept(cat("F.", op.name, "(x, output_size", repeated, ")"));
  op.attrs = {{"output_size", Ints{}, "size of the result in each dimension", true}};
  op.infer = adaptive_infer;
  op.forward = adaptive_forward;
  op.gradient = adaptive_gradient;
  op.cost = adaptive_cost;
  op.rows_apart = images_by_row;
  op.quantisable = {"data_in"};
  op.onnx = {{"GlobalAveragePool", 1}};
  op.repr = adaptive_repr;
  op.samples =
      in_dims(op.dims, {{.attrs = {{"output_size", Ints{1}}}, .inputs = {{{2, 3, 2, 3, 4}}}},
                        {.attrs = {{"output_size", Ints{2, 3, 2}}}, .inputs = {{{1, 2, 3, 5, 4}}}},
                        {.attrs = {{"output_size", Ints{3, 2, 5}}}, .inputs = {{{1, 1, 2, 3, 3}}}},
                        {.attrs = {{"output_size", Ints{2, 1, 3}}}, .inputs = {{{1, 1, 3, 2, 7}}}},
                        {.attrs = {{"output_size", Ints{1, 1, 1}}}, .inputs = {{{1, 1, 1, 1, 1}}}},
                        {.attrs = {{"output_size", Ints{2}}}, .inputs = {{{2, 3, 3, 4}}}}});
  return op;
}

}  // namespace chop::ops
