// Convolution in one to three dimensions: geometry, loops, and what conv1d to conv3d share with
// each other and with their transposes.
#pragma once

#include <initializer_list>

#include "ops/core/common.hpp"
#include "ops/families/layers/window.hpp"

namespace chop::ops {

/// One convolution: x [batch, in_channels, window.in], y [batch, out_channels, window.out],
/// w [out_channels, in_channels / groups, window.kernel].
struct ConvShape {
  std::int64_t batch = 1;
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t groups = 1;
  Window window;
  std::size_t dims = 2;

  std::int64_t group_in() const { return in_channels / groups; }
  std::int64_t group_out() const { return out_channels / groups; }
  std::int64_t macs() const {
    return batch * out_channels * window.out.area() * group_in() * window.kernel.area();
  }
};

/// From the attributes stride, padding, dilation and groups, and the shapes of x and w.
Result<ConvShape> conv_shape(const Call& call, const Shape& x, const Shape& w);
/// The shape of y for an x of this shape.
Shape conv_output(const ConvShape& conv, const Shape& x);

/// Calls f(y, x, w) with the flat indices of each product x[x] · w[w] that y[y] adds up.
template <class F>
void for_each_product(const ConvShape& conv, F&& f) {
  const Window& win = conv.window;
  std::int64_t y = 0;
  for (std::int64_t n = 0; n < conv.batch; ++n)
    for (std::int64_t o = 0; o < conv.out_channels; ++o)
      for (std::int64_t od = 0; od < win.out.d; ++od)
        for (std::int64_t oh = 0; oh < win.out.h; ++oh)
          for (std::int64_t ow = 0; ow < win.out.w; ++ow, ++y) {
            std::int64_t w = o * conv.group_in() * win.kernel.area();
            for (std::int64_t c = 0; c < conv.group_in(); ++c) {
              const std::int64_t channel = o / conv.group_out() * conv.group_in() + c;
              const std::int64_t plane = (n * conv.in_channels + channel) * win.in.area();
              for_each_tap(win, od, oh, ow, [&](std::int64_t at) {
                if (at >= 0) f(y, plane + at, w);
                ++w;
              });
            }
          }
}

/// in_channels, out_channels and groups fit each other, the kernel has a size, and operands are
/// what these attributes call for.
Status check_conv(const TypedCall& call);
/// The kernel as w has it; stride, padding and dilation from the attributes.
Status read_window(const Call& call, const Shape& w, ConvShape& conv);

/// [rows, columns / groups, kernel_size...], where `rows` and `columns` name attributes.
Shape conv_weight(const Call& call, std::string_view rows, std::string_view columns);
/// What convolutions and their transposes have in common; `rest` are the arguments of the call in
/// PyTorch behind weight and bias. The parameters, a weight of this shape and a bias, start as
/// there.
OpDef any_conv_op(OpDef op, Shape (*weight_shape)(const Call&), std::string_view rest);
/// The same of their gradients, which take dy, x and w.
OpDef any_conv_grad_op(OpDef op);

/// y = the bias of each channel if there is one; a channel has `area` elements.
void start_from_bias(const ForwardCall& call, std::int64_t area);
/// Gives dx, dw and db to `op`, which takes dy, x and w, and the attributes of these names.
void conv_gradient(GradBuilder& g, std::string_view op, std::initializer_list<const char*> lists);
/// As Python shows the module; of these lists only what is not the default.
std::string conv_repr(const Call& call, std::initializer_list<std::string_view> lists);

/// Whether w can be the weight of a convolution in one to three dimensions.
Status check_weight_rank(const Call& call, const Shape& w);
/// dx, dw and db, given dy, x and w. `products(f)` calls f(y, x, w) with the flat indices of each
/// product that y adds up; a channel of y has `area` elements.
template <class Products>
void add_conv_gradients(const ForwardCall& call, std::int64_t area, Products products) {
  const auto dy = call.x(0);
  const auto x = call.x(1);
  const auto w = call.x(2);
  const auto dx = call.y(0);
  const auto dw = call.y(1);
  const auto db = call.y(2);
  products([&](auto at_y, auto at_x, auto at_w) {
    dx[at_x] += dy[at_y] * w[at_w];
    dw[at_w] += dy[at_y] * x[at_x];
  });
  const auto size = static_cast<std::size_t>(area);
  for (std::size_t i = 0; i < dy.size(); ++i) db[i / size % db.size()] += dy[i];
}

/// The attributes of a sample of a convolution or its transpose.
Attrs conv_attrs(std::int64_t in, std::int64_t out, Ints kernel, Attrs more = {});
/// Completes conv1d, conv2d and conv3d: everything but names and `dims`.
OpDef conv_op(OpDef op);

}  // namespace chop::ops
