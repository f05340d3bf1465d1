// Geometry of pooling: how many windows there are, and what each of them covers.
#include "ops/families/layers/pool.hpp"

#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {
namespace {

bool has_attr(const OpDef& op, std::string_view name) {
  return find_field(op.attrs, name) != nullptr;
}

/// How many windows there are along one axis. With ceil_mode a last window may hang over
/// the end, provided that it starts inside the input or the padding before it.
std::int64_t window_count(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                          std::int64_t padding, std::int64_t dilation, bool ceil_mode) {
  const std::int64_t room = in + 2 * padding - dilation * (kernel - 1) - 1;
  if (room < 0 && (!ceil_mode || room + stride - 1 < 0)) return 0;
  std::int64_t count = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
  if (ceil_mode && (count - 1) * stride >= in + padding) --count;
  return count;
}

/// From the first tap to the last.
Extent span_of(const Window& win) {
  return {win.dilation.h * (win.kernel.h - 1) + 1, win.dilation.w * (win.kernel.w - 1) + 1,
          win.dilation.d * (win.kernel.d - 1) + 1};
}

/// Gradients have x's shape as an attribute, which a file may have set to anything.
Status check_pool_input(const Call& call, const Shape& x, std::size_t dims) {
  CH_CHECK(check_size(call, x));
  CH_CHECK(check_image(call, x, dims));
  for (std::size_t i = x.size() == dims + 2 ? 1 : 0; i < x.size(); ++i)
    if (x[i] == 0)
      return Error{.what = cat(call.op.name, " cannot take ", to_string(x)),
                   .hint = "only the batch may be empty"};
  return {};
}

}  // namespace

Result<PoolShape> pool_shape(const Call& call, const Shape& x, std::size_t dims) {
  CH_CHECK(check_pool_input(call, x, dims));
  PoolShape pool{.planes = product(x, 0, x.size() - dims)};
  Window& win = pool.window;
  win.in = image_of(x, dims);
  CH_TRY(win.kernel, extent(call, "kernel_size", dims, 1));
  win.stride = win.kernel;
  if (!call.ints("stride").empty()) {
    CH_TRY(win.stride, extent(call, "stride", dims, 1));
  }
  CH_TRY(win.padding, extent(call, "padding", dims, 0));
  if (has_attr(call.op, "dilation")) {
    CH_TRY(win.dilation, extent(call, "dilation", dims, 1));
  }
  if (win.padding.d > win.kernel.d / 2 || win.padding.h > win.kernel.h / 2 ||
      win.padding.w > win.kernel.w / 2)
    return Error{.what = cat(call.op.name, ": padding ", size_text(win.padding, dims),
                             " is more than half the kernel ", size_text(win.kernel, dims)),
                 .hint = "padding may be at most half of kernel_size"};
  const bool ceil_mode = call.flag("ceil_mode");
  win.out.d =
      window_count(win.in.d, win.kernel.d, win.stride.d, win.padding.d, win.dilation.d, ceil_mode);
  win.out.h =
      window_count(win.in.h, win.kernel.h, win.stride.h, win.padding.h, win.dilation.h, ceil_mode);
  win.out.w =
      window_count(win.in.w, win.kernel.w, win.stride.w, win.padding.w, win.dilation.w, ceil_mode);
  if (win.out.d < 1 || win.out.h < 1 || win.out.w < 1)
    return Error{.what = cat(call.op.name, ": a window of ", size_text(span_of(win), dims),
                             " does not fit an input of ", size_text(win.in, dims)),
                 .hint = "use a smaller kernel, less dilation or more padding"};
  return pool;
}

Result<PoolShape> adaptive_shape(const Call& call, const Shape& x, std::size_t dims) {
  CH_CHECK(check_pool_input(call, x, dims));
  PoolShape pool{.planes = product(x, 0, x.size() - dims)};
  pool.window.in = image_of(x, dims);
  CH_TRY(pool.window.out, extent(call, "output_size", dims, 0));
  return pool;
}

std::int64_t largest_in(const Window& window, std::span<const double> image, std::int64_t od,
                        std::int64_t oh, std::int64_t ow) {
  std::int64_t best = -1;
  for_each_tap(window, od, oh, ow, [&](std::int64_t at) {
    if (at >= 0 && (best < 0 || image[at] > image[best] || std::isnan(image[at]))) best = at;
  });
  return best;
}

Patch average_patch(const Window& window, bool include_pad, std::int64_t od, std::int64_t oh,
                    std::int64_t ow) {
  const std::int64_t front = window.layer(od, 0);
  const std::int64_t top = window.row(oh, 0);
  const std::int64_t left = window.column(ow, 0);
  const std::int64_t back = std::min(front + window.kernel.d, window.in.d + window.padding.d);
  const std::int64_t bottom = std::min(top + window.kernel.h, window.in.h + window.padding.h);
  const std::int64_t right = std::min(left + window.kernel.w, window.in.w + window.padding.w);
  Patch patch{.top = std::max<std::int64_t>(top, 0),
              .bottom = std::min(bottom, window.in.h),
              .left = std::max<std::int64_t>(left, 0),
              .right = std::min(right, window.in.w),
              .front = std::max<std::int64_t>(front, 0),
              .back = std::min(back, window.in.d)};
  patch.divisor = include_pad ? (back - front) * (bottom - top) * (right - left)
                              : (patch.back - patch.front) * (patch.bottom - patch.top) *
                                    (patch.right - patch.left);
  return patch;
}

Patch adaptive_patch(const Window& window, std::int64_t od, std::int64_t oh, std::int64_t ow) {
  const Extent& in = window.in;
  const Extent& out = window.out;
  Patch patch{.top = oh * in.h / out.h,
              .bottom = ((oh + 1) * in.h + out.h - 1) / out.h,
              .left = ow * in.w / out.w,
              .right = ((ow + 1) * in.w + out.w - 1) / out.w,
              .front = od * in.d / out.d,
              .back = ((od + 1) * in.d + out.d - 1) / out.d};
  patch.divisor =
      (patch.back - patch.front) * (patch.bottom - patch.top) * (patch.right - patch.left);
  return patch;
}

}  // namespace chop::ops
