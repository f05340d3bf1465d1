// Convolution in one to three dimensions: everything conv1d to conv3d have in common.
#include "ops/families/layers/conv.hpp"
#include "ops/core/costs.hpp"

#include "ops/core/checks.hpp"
#include "ops/core/rows.hpp"

namespace chop::ops {
namespace {

Shape conv_weight_shape(const Call& call) {
  return conv_weight(call, "out_channels", "in_channels");
}

Shape bias_shape(const Call& call) {
  return {call.integer("out_channels")};
}

/// PyTorch's default: Kaiming uniform with a = √5, which is ±1/√fan_in.
double bound(const Call& call) {
  const std::int64_t fan_in = product(call.op.params.front().shape(call), 1);
  return fan_in > 0 ? 1.0 / std::sqrt(static_cast<double>(fan_in)) : 0.0;
}

Status check_channels(const Call& call) {
  CH_CHECK(check_at_least(call, "in_channels", 1));
  CH_CHECK(check_at_least(call, "out_channels", 1));
  CH_CHECK(check_at_least(call, "groups", 1));
  for (const char* channels : {"in_channels", "out_channels"})
    if (call.integer(channels) % call.integer("groups") != 0)
      return Error{.what = cat(call.op.name, " cannot split ", channels, "=",
                               call.integer(channels), " into ", call.integer("groups"), " groups"),
                   .hint = cat("groups must divide in_channels and out_channels")};
  return {};
}

TypeList conv_infer(const TypedCall& call) {
  CH_CHECK(check_conv(call));
  CH_TRY(const ConvShape conv, conv_shape(call, call.shape(0), call.shape(1)));
  return std::vector<TensorType>{{call.in[0].dtype, conv_output(conv, call.shape(0))}};
}

void conv_forward(const ForwardCall& call) {
  const ConvShape conv = conv_shape(call, call.in[0]->shape(), call.in[1]->shape()).value();
  const auto x = call.x(0);
  const auto w = call.x(1);
  const auto y = call.y();
  start_from_bias(call, conv.window.out.area());
  for_each_product(conv, [&](auto at_y, auto at_x, auto at_w) { y[at_y] += x[at_x] * w[at_w]; });
}

void plain_gradient(GradBuilder& g) {
  conv_gradient(g, "conv_grad", {"stride", "padding", "dilation"});
}

/// Every tap counts, those in the padding too.
Cost conv_cost(const CostCall& call) {
  const std::int64_t outputs = numel(call.out[0].shape);
  const std::int64_t taps = product(call.shape(1), 1);
  const std::int64_t macs = outputs * taps;
  return {.macs = macs,
          .lab = macs,
          .exact = exact_sums(outputs, taps) + (call.flag("bias") ? outputs : 0),
          .backward = 2 * macs};
}

std::string plain_repr(const Call& call) {
  return conv_repr(call, {"padding", "dilation"});
}

Result<std::int64_t> window_count(const Call& call, std::int64_t in, std::int64_t kernel,
                                  std::int64_t stride, std::int64_t padding,
                                  std::int64_t dilation) {
  const std::int64_t reach = dilation * (kernel - 1) + 1;
  const std::int64_t padded = in + 2 * padding;
  if (padded < reach)
    return Error{.what = cat(call.op.name, ": the kernel spans ", reach,
                             " elements, the padded input has ", padded),
                 .hint = "use a smaller kernel, less dilation or more padding"};
  return (padded - reach) / stride + 1;
}

}  // namespace

Status check_conv(const TypedCall& call) {
  CH_CHECK(check_channels(call));
  CH_TRY(const Extent kernel, extent(call, "kernel_size", call.op.dims, 1));
  static_cast<void>(kernel);
  return check_operands(call);
}

/// Also asked before the attributes were checked, hence the care.
Shape conv_weight(const Call& call, std::string_view rows, std::string_view columns) {
  const std::int64_t groups = std::max<std::int64_t>(call.integer("groups"), 1);
  Shape shape = {call.integer(rows), call.integer(columns) / groups};
  for (const std::int64_t taps : call.ints("kernel_size", call.op.dims)) shape.push_back(taps);
  return shape;
}

OpDef any_conv_op(OpDef op, Shape (*weight_shape)(const Call&), std::string_view rest) {
  const Init init = {InitKind::Uniform, bound};
  op.mase_type = MaseType::ModuleRelatedFunc;
  op.function = kept(cat("torch.", op.name));
  op.torch = kept(cat("F.", op.name, "(x, weight, bias, ", rest, ")"));
  op.params = {
      {.name = "weight", .shape = weight_shape, .init = init, .role = ParamRole::Weight},
      {.name = "bias", .shape = bias_shape, .init = init, .when = "bias", .role = ParamRole::Bias}};
  op.rows_apart = images_by_row;
  op.quantisable = {"data_in", "weight", {"bias", false}};
  return op;
}

OpDef any_conv_grad_op(OpDef op) {
  op.mase_type = MaseType::Gradient;
  op.min_inputs = 3;
  op.attrs.push_back({"dilation", Ints{1}, "distance between neighbouring taps"});
  op.attrs.push_back({"groups", 1, "channels are split into this many separate parts"});
  return op;
}

void start_from_bias(const ForwardCall& call, std::int64_t area) {
  if (!call.flag("bias")) return;
  const auto bias = call.x(2);
  const auto y = call.y();
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = bias[i / static_cast<std::size_t>(area) % bias.size()];
}

void conv_gradient(GradBuilder& g, std::string_view op, std::initializer_list<const char*> lists) {
  Attrs attrs = {{"groups", g.call().integer("groups")}};
  for (const char* name : lists) attrs[name] = g.call().ints(name, g.call().op.dims);
  const Value dx = g.add(op, {g.output_grad(), g.input(0), g.input(1)}, std::move(attrs));
  g.set(0, dx);
  g.set(1, {dx.node, 1});
  if (g.call().flag("bias")) g.set(2, {dx.node, 2});
}

std::string conv_repr(const Call& call, std::initializer_list<std::string_view> lists) {
  const std::size_t dims = call.op.dims;
  std::string text = cat(call.integer("in_channels"), ", ", call.integer("out_channels"),
                         ", kernel_size=", tuple_repr(call, "kernel_size", dims),
                         ", stride=", tuple_repr(call, "stride", dims));
  for (const std::string_view list : lists)
    if (call.ints(list, dims) != Ints(dims, list.ends_with("padding") ? 0 : 1))
      text += cat(", ", list, "=", tuple_repr(call, list, dims));
  if (call.integer("groups") != 1) text += cat(", groups=", call.integer("groups"));
  if (!call.flag("bias")) text += ", bias=False";
  return text;
}

Status read_window(const Call& call, const Shape& w, ConvShape& conv) {
  Window& win = conv.window;
  win.kernel = image_of(w, conv.dims);
  CH_TRY(win.stride, extent(call, "stride", conv.dims, 1));
  CH_TRY(win.padding, extent(call, "padding", conv.dims, 0));
  CH_TRY(win.dilation, extent(call, "dilation", conv.dims, 1));
  return {};
}

Result<ConvShape> conv_shape(const Call& call, const Shape& x, const Shape& w) {
  ConvShape conv{.out_channels = w[0], .groups = call.integer("groups"), .dims = w.size() - 2};
  CH_CHECK(check_image(call, x, conv.dims));
  CH_CHECK(check_at_least(call, "groups", 1));
  const bool batched = x.size() == conv.dims + 2;
  conv.batch = batched ? x[0] : 1;
  conv.in_channels = x[batched ? 1 : 0];
  if (conv.in_channels != w[1] * conv.groups)
    return Error{
        .what = cat(call.op.name, " with in_channels=", w[1] * conv.groups, " cannot take ",
                    to_string(x)),
        .hint = cat("dimension ", batched ? 1 : 0, " of its input must be ", w[1] * conv.groups)};
  Window& win = conv.window;
  win.in = image_of(x, conv.dims);
  CH_CHECK(read_window(call, w, conv));
  CH_TRY(win.out.d,
         window_count(call, win.in.d, win.kernel.d, win.stride.d, win.padding.d, win.dilation.d));
  CH_TRY(win.out.h,
         window_count(call, win.in.h, win.kernel.h, win.stride.h, win.padding.h, win.dilation.h));
  CH_TRY(win.out.w,
         window_count(call, win.in.w, win.kernel.w, win.stride.w, win.padding.w, win.dilation.w));
  return conv;
}

Status check_weight_rank(const Call& call, const Shape& w) {
  if (w.size() >= 3 && w.size() <= 5) return {};
  return Error{.what = cat(call.op.name, " cannot take a weight of shape ", to_string(w))};
}

Shape conv_output(const ConvShape& conv, const Shape& x) {
  Shape y = with_image(x, conv.dims, conv.window.out);
  y[y.size() - conv.dims - 1] = conv.out_channels;
  return y;
}

Attrs conv_attrs(std::int64_t in, std::int64_t out, Ints kernel, Attrs more) {
  more.insert({{"in_channels", in}, {"out_channels", out}, {"kernel_size", std::move(kernel)}});
  return more;
}

OpDef conv_op(OpDef op) {
  op = any_conv_op(std::move(op), conv_weight_shape, "stride, padding, dilation, groups");
  op.fx = "*xs, stride=stride, padding=padding, dilation=dilation, groups=groups";
  op.attrs = {{"in_channels", 0, "channels of the input", true},
              {"out_channels", 0, "channels of the output", true},
              {"kernel_size", Ints{}, "taps of the kernel in each dimension", true},
              {"stride", Ints{1}, "step between neighbouring outputs"},
              {"padding", Ints{0}, "zeros added at both ends of each dimension"},
              {"dilation", Ints{1}, "distance between neighbouring taps"},
              {"groups", 1, "channels are split into this many separate parts"},
              {"bias", true, "whether b is added"}};
  op.infer = conv_infer;
  op.forward = conv_forward;
  op.gradient = plain_gradient;
  op.cost = conv_cost;
  op.weight_axis = 1;
  op.onnx = {{"Conv", 11}};
  op.repr = plain_repr;
  op.samples = in_dims(
      op.dims,
      {{.attrs = conv_attrs(2, 3, {3}, {{"padding", Ints{1}}}), .inputs = {{{1, 2, 3, 4, 5}}}},
       {.attrs = conv_attrs(4, 2, {1, 3, 2},
                            {{"stride", Ints{2, 2, 1}},
                             {"padding", Ints{0, 0, 1}},
                             {"dilation", Ints{1, 1, 3}},
                             {"groups", 2},
                             {"bias", false}}),
        .inputs = {{{1, 4, 3, 5, 4}}}},
       {.attrs = conv_attrs(2, 4, {3},
                            {{"stride", Ints{2}},
                             {"padding", Ints{2}},
                             {"dilation", Ints{2}},
                             {"groups", 2},
                             {"bias", false}}),
        .inputs = {{{2, 2, 3, 4, 6}}}},
       {.attrs = conv_attrs(3, 6, {2}, {{"groups", 3}, {"stride", Ints{2}}}),
        .inputs = {{{2, 3, 2, 5, 3}}}},
       {.attrs = conv_attrs(1, 1, {1}), .inputs = {{{1, 1, 1, 1, 1}}}},
       {.attrs = conv_attrs(2, 1, {1}, {{"stride", Ints{2}}, {"padding", Ints{1}}}),
        .inputs = {{{2, 3, 3, 3}}}},
       {.attrs = conv_attrs(2, 1, {5}, {{"padding", Ints{4}}}), .inputs = {{{2, 1, 1, 1}}}}});
  return op;
}

}  // namespace chop::ops
