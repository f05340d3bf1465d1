// Convolution in one to three dimensions: geometry, loops, and what conv1d to conv3d share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "ops/common.hpp"
#include "ops/window.hpp"

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

/// in_channels, out_channels and groups fit each other.
Status check_channels(const Call& call);

/// Completes conv1d, conv2d and conv3d: everything but names and samples.
OpDef conv_op(std::size_t dims, OpDef op);

}  // namespace chop::ops
