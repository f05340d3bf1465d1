// Pooling in one to three dimensions: geometry, and what the pooling ops share.
#pragma once

#include "ops/core/common.hpp"
#include "ops/families/layers/window.hpp"

namespace chop::ops {

/// `planes` images (batch times channels), each pooled by itself.
struct PoolShape {
  std::int64_t planes = 1;
  Window window;
};

/// From the attributes kernel_size, stride (empty: the kernel's), padding, ceil_mode and, for
/// ops that have it, dilation. `dims` is 1 to 3.
Result<PoolShape> pool_shape(const Call& call, const Shape& x, std::size_t dims);
/// From the attribute output_size: position o of n averages [⌊o·in/n⌋, ⌈(o+1)·in/n⌉).
Result<PoolShape> adaptive_shape(const Call& call, const Shape& x, std::size_t dims);

/// Index in the image of the maximum in the window at (od, oh, ow); the first one when several
/// are equal, the last NaN when there is one, -1 when all taps are in the padding.
std::int64_t largest_in(const Window& window, std::span<const double> image, std::int64_t od,
                        std::int64_t oh, std::int64_t ow);

/// Layers [front, back), rows [top, bottom) and columns [left, right), whose sum is divided by
/// `divisor`.
struct Patch {
  std::int64_t top = 0;
  std::int64_t bottom = 0;
  std::int64_t left = 0;
  std::int64_t right = 0;
  std::int64_t divisor = 1;
  std::int64_t front = 0;
  std::int64_t back = 1;
};
/// What the window at (od, oh, ow) averages. The divisor counts padding when `include_pad` says so,
/// but never what ceil_mode adds beyond it.
Patch average_patch(const Window& window, bool include_pad, std::int64_t od, std::int64_t oh,
                    std::int64_t ow);
Patch adaptive_patch(const Window& window, std::int64_t od, std::int64_t oh, std::int64_t ow);

/// Calls f(at) for every element of a patch.
template <class F>
void for_each_element(const Window& window, const Patch& patch, F&& f) {
  for (std::int64_t id = patch.front; id < patch.back; ++id)
    for (std::int64_t ih = patch.top; ih < patch.bottom; ++ih)
      for (std::int64_t iw = patch.left; iw < patch.right; ++iw) f(window.at(id, ih, iw));
}

/// Calls f(od, oh, ow) for every position of a window, in order.
template <class F>
void for_each_position(const Window& window, F&& f) {
  for (std::int64_t od = 0; od < window.out.d; ++od)
    for (std::int64_t oh = 0; oh < window.out.h; ++oh)
      for (std::int64_t ow = 0; ow < window.out.w; ++ow) f(od, oh, ow);
}

/// Each y is the mean of its patch of x.
template <class PatchAt>
void average(const PoolShape& pool, PatchAt&& patch_at, std::span<const double> x,
             std::span<double> y) {
  const Window& win = pool.window;
  std::int64_t out = 0;
  for (std::int64_t plane = 0; plane < pool.planes; ++plane)
    for_each_position(win, [&](auto od, auto oh, auto ow) {
      const Patch patch = patch_at(od, oh, ow);
      double sum = 0;
      for_each_element(win, patch, [&](auto at) { sum += x[plane * win.in.area() + at]; });
      y[out++] = sum / static_cast<double>(patch.divisor);
    });
}

/// The adjoint of average: each dy is shared out equally over its patch of dx.
template <class PatchAt>
void share_out(const PoolShape& pool, PatchAt&& patch_at, std::span<const double> dy,
               std::span<double> dx) {
  const Window& win = pool.window;
  std::int64_t out = 0;
  for (std::int64_t plane = 0; plane < pool.planes; ++plane)
    for_each_position(win, [&](auto od, auto oh, auto ow) {
      const Patch patch = patch_at(od, oh, ow);
      const double share = dy[out++] / static_cast<double>(patch.divisor);
      for_each_element(win, patch, [&](auto at) { dx[plane * win.in.area() + at] += share; });
    });
}

/// Complete the one-, two- and three-dimensional forms: everything but names and `dims`.
OpDef max_pool_op(OpDef op);
OpDef avg_pool_op(OpDef op);
OpDef adaptive_avg_pool_op(OpDef op);

}  // namespace chop::ops
