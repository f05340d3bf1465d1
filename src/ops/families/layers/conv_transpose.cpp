#include "ops/families/layers/conv_transpose.hpp"

#include "ops/core/checks.hpp"
#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {
namespace {

Shape transposed_weight_shape(const Call& call) {
  return conv_weight(call, "in_channels", "out_channels");
}

TypeList transposed_infer(const TypedCall& call) {
  CH_CHECK(check_conv(call));
  CH_TRY(const ConvShape conv, conv_transpose_shape(call, call.shape(0), call.shape(1)));
  Shape y = conv_transpose_output(conv, call.shape(0));
  CH_CHECK(check_size(call, y));
  return std::vector<TensorType>{{call.in[0].dtype, std::move(y)}};
}

void transposed_forward(const ForwardCall& call) {
  const ConvShape conv =
      conv_transpose_shape(call, call.in[0]->shape(), call.in[1]->shape()).value();
  const auto x = call.x(0);
  const auto w = call.x(1);
  const auto y = call.y();
  start_from_bias(call, conv.window.in.area());
  for_each_product(conv, [&](auto at_x, auto at_y, auto at_w) { y[at_y] += x[at_x] * w[at_w]; });
}

void transposed_gradient(GradBuilder& g) {
  conv_gradient(g, "conv_transpose_grad", {"stride", "padding", "output_padding", "dilation"});
}

/// Every tap of every input is multiplied and added to what is there, the bias or zero; those
/// that the padding cuts off count too.
Cost transposed_cost(const CostCall& call) {
  const std::int64_t macs = numel(call.shape(0)) * product(call.shape(1), 1);
  return {.macs = macs, .lab = macs, .exact = 2 * macs, .backward = 2 * macs};
}

std::string transposed_repr(const Call& call) {
  return conv_repr(call, {"padding", "dilation", "output_padding"});
}

/// The size of the result: ⟨last position⟩·stride − 2·padding + reach of the kernel + extra.
Result<std::int64_t> reach(const Call& call, std::int64_t positions, std::int64_t kernel,
                           std::int64_t stride, std::int64_t padding, std::int64_t dilation,
                           std::int64_t extra) {
  std::int64_t last = 0;
  if (positions < 1 || __builtin_mul_overflow(positions - 1, stride, &last) ||
      last > (std::int64_t{1} << 60))
    return Error{.what = cat(call.op.name, " cannot take a dimension of size ", positions),
                 .hint = "only the batch may be empty"};
  if (extra >= std::max(stride, dilation))
    return Error{.what = cat(call.op.name, " cannot have output_padding=", extra, " with stride ",
                             stride, " and dilation ", dilation),
                 .hint = "output_padding must be smaller than stride or dilation"};
  const std::int64_t size = last - 2 * padding + dilation * (kernel - 1) + extra + 1;
  if (size < 1)
    return Error{.what = cat(call.op.name, ": padding of ", padding, " leaves nothing of ",
                             size + 2 * padding, " positions"),
                 .hint = "use less padding or a larger kernel"};
  return size;
}

}  // namespace

Result<ConvShape> conv_transpose_shape(const Call& call, const Shape& x, const Shape& w) {
  CH_CHECK(check_at_least(call, "groups", 1));
  ConvShape conv{.in_channels = w[1] * call.integer("groups"),
                 .out_channels = w[0],
                 .groups = call.integer("groups"),
                 .dims = w.size() - 2};
  CH_CHECK(check_image(call, x, conv.dims));
  const bool batched = x.size() == conv.dims + 2;
  conv.batch = batched ? x[0] : 1;
  if (x[batched ? 1 : 0] != w[0] || w[0] % conv.groups != 0)
    return Error{.what = cat(call.op.name, " with in_channels=", w[0], " and groups=", conv.groups,
                             " cannot take ", to_string(x)),
                 .hint = cat("dimension ", batched ? 1 : 0, " of its input must be ", w[0])};
  Window& win = conv.window;
  win.out = image_of(x, conv.dims);
  CH_CHECK(read_window(call, w, conv));
  CH_TRY(const Extent extra, extent(call, "output_padding", conv.dims, 0));
  CH_TRY(win.in.d, reach(call, win.out.d, win.kernel.d, win.stride.d, win.padding.d, win.dilation.d,
                         extra.d));
  CH_TRY(win.in.h, reach(call, win.out.h, win.kernel.h, win.stride.h, win.padding.h, win.dilation.h,
                         extra.h));
  CH_TRY(win.in.w, reach(call, win.out.w, win.kernel.w, win.stride.w, win.padding.w, win.dilation.w,
                         extra.w));
  return conv;
}

Shape conv_transpose_output(const ConvShape& conv, const Shape& x) {
  Shape y = with_image(x, conv.dims, conv.window.in);
  y[y.size() - conv.dims - 1] = conv.in_channels;
  return y;
}

OpDef conv_transpose_op(OpDef op) {
  op = any_conv_op(std::move(op), transposed_weight_shape,
                   "stride, padding, output_padding, groups, dilation");
  op.fx =
      "*xs, stride=stride, padding=padding, output_padding=output_padding, groups=groups, "
      "dilation=dilation";
  op.attrs = {{"in_channels", 0, "channels of the input", true},
              {"out_channels", 0, "channels of the output", true},
              {"kernel_size", Ints{}, "taps of the kernel in each dimension", true},
              {"stride", Ints{1}, "step between what neighbouring inputs make"},
              {"padding", Ints{0}, "elements cut off at both ends of each dimension"},
              {"output_padding", Ints{0}, "elements added at the end of each dimension"},
              {"groups", 1, "channels are split into this many separate parts"},
              {"bias", true, "whether b is added"},
              {"dilation", Ints{1}, "distance between neighbouring taps"}};
  op.infer = transposed_infer;
  op.forward = transposed_forward;
  op.gradient = transposed_gradient;
  op.cost = transposed_cost;
  op.onnx = {{"ConvTranspose", 11}};
  op.repr = transposed_repr;
  op.samples = in_dims(
      op.dims,
      {{.attrs = conv_attrs(2, 3, {3}), .inputs = {{{2, 2, 1, 2, 4}}}},
       {.attrs = conv_attrs(2, 3, {3}, {{"padding", Ints{1}}}), .inputs = {{{2, 2, 2, 3, 2}}}},
       {.attrs = conv_attrs(2, 2, {1, 3, 2},
                            {{"stride", Ints{1, 2, 1}},
                             {"padding", Ints{0, 1, 0}},
                             {"output_padding", Ints{0, 1, 0}},
                             {"dilation", Ints{1, 1, 2}},
                             {"groups", 2},
                             {"bias", false}}),
        .inputs = {{{1, 2, 2, 3, 3}}}},
       {.attrs = conv_attrs(2, 4, {3},
                            {{"stride", Ints{3}},
                             {"padding", Ints{1}},
                             {"output_padding", Ints{2}},
                             {"dilation", Ints{2}},
                             {"groups", 2},
                             {"bias", false}}),
        .inputs = {{{1, 2, 1, 2, 3}}}},
       {.attrs = conv_attrs(1, 1, {1}), .inputs = {{{1, 1, 1, 1, 1}}}},
       {.attrs = conv_attrs(2, 1, {2}, {{"stride", Ints{2}}}), .inputs = {{{2, 1, 2, 3}}}},
       {.attrs = conv_attrs(1, 2, {2}), .inputs = {{{0, 1, 2, 2, 3}}}}});
  return op;
}

}  // namespace chop::ops
