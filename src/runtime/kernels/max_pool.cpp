// max_pool1d, max_pool2d and their gradient. As in the reference, the first maximum of a
// window counts, and NaN is larger than everything.
#include <algorithm>
#include <limits>

#include "ops/pool.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

namespace chop::kernels {
namespace {

using ops::Window;

/// The taps of one axis that fall into the image: [first, last) of them.
struct Taps {
  std::int64_t first, last;
};

Taps taps_inside(std::int64_t start, std::int64_t kernel, std::int64_t dilation, std::int64_t in) {
  const std::int64_t first = start >= 0 ? 0 : (-start + dilation - 1) / dilation;
  const std::int64_t last = in <= start ? 0 : (in - start + dilation - 1) / dilation;
  return {first, std::clamp(last, first, std::max(first, kernel))};
}

/// Index in the image of the maximum that place (oh, ow) sees; -1 when it sees nothing.
std::int64_t argmax(const Window& w, const float* image, std::int64_t oh, std::int64_t ow) {
  const std::int64_t top = w.row(oh, 0);
  const std::int64_t left = w.column(ow, 0);
  const Taps rows = taps_inside(top, w.kernel.h, w.dilation.h, w.in.h);
  const Taps columns = taps_inside(left, w.kernel.w, w.dilation.w, w.in.w);
  std::int64_t best = -1;
  float value = 0;
  for (std::int64_t kh = rows.first; kh < rows.last; ++kh) {
    const std::int64_t row = (top + kh * w.dilation.h) * w.in.w + left;
    for (std::int64_t kw = columns.first; kw < columns.last; ++kw) {
      const std::int64_t at = row + kw * w.dilation.w;
      if (best >= 0 && !(image[at] > value) && image[at] == image[at]) continue;
      best = at;
      value = image[at];
    }
  }
  return best;
}

/// Calls work(plane) for every image, several to a task when they are small.
template <class Work>
void each_plane(const ops::PoolShape& pool, int threads, Work work) {
  const std::int64_t area = std::max<std::int64_t>(1, pool.window.in.area());
  const std::int64_t block = std::max<std::int64_t>(1, kChunk / 4 / area);
  parallel_for(threads, (pool.planes + block - 1) / block, [&](std::int64_t task) {
    for (std::int64_t p = task * block; p < std::min(pool.planes, (task + 1) * block); ++p) work(p);
  });
}

/// Windows of 2 x 2 side by side, wholly inside: what networks use most.
bool is_plain_half(const Window& w) {
  return w.kernel == ops::Extent{2, 2} && w.stride == w.kernel && w.padding == ops::Extent{0, 0} &&
         w.dilation == ops::Extent{1, 1} && w.out.h * 2 <= w.in.h && w.out.w * 2 <= w.in.w;
}

float larger(float best, float next) {
  return next > best || next != next ? next : best;
}

void half_plane(const Window& w, const float* x, float* y) {
  for (std::int64_t oh = 0; oh < w.out.h; ++oh) {
    const float* upper = x + 2 * oh * w.in.w;
    const float* lower = upper + w.in.w;
    for (std::int64_t ow = 0; ow < w.out.w; ++ow)
      y[oh * w.out.w + ow] = larger(larger(larger(upper[2 * ow], upper[2 * ow + 1]), lower[2 * ow]),
                                    lower[2 * ow + 1]);
  }
}

template <std::size_t kDims>
Kernel make_pool(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  const ops::PoolShape pool = ops::pool_shape(call, call.shape(0), kDims).value();
  const bool plain_half = is_plain_half(pool.window);
  return [=](const KernelArgs& args, const RunContext& context) {
    const Window& w = pool.window;
    each_plane(pool, context.threads, [&](std::int64_t plane) {
      const float* x = args.input(0) + plane * w.in.area();
      float* y = args.output() + plane * w.out.area();
      if (plain_half) return half_plane(w, x, y);
      for (std::int64_t oh = 0; oh < w.out.h; ++oh)
        for (std::int64_t ow = 0; ow < w.out.w; ++ow) {
          const std::int64_t at = argmax(w, x, oh, ow);
          *y++ = at < 0 ? -std::numeric_limits<float>::infinity() : x[at];
        }
    });
  };
}

Kernel make_grad(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  const ops::PoolShape pool =
      ops::pool_shape(call, call.shape(1), call.ints("kernel_size").size()).value();
  return [=](const KernelArgs& args, const RunContext& context) {
    const Window& w = pool.window;
    each_plane(pool, context.threads, [&](std::int64_t plane) {
      const float* dy = args.input(0) + plane * w.out.area();
      const float* x = args.input(1) + plane * w.in.area();
      float* dx = args.output() + plane * w.in.area();
      std::fill(dx, dx + w.in.area(), 0.0F);
      for (std::int64_t oh = 0; oh < w.out.h; ++oh)
        for (std::int64_t ow = 0; ow < w.out.w; ++ow, ++dy)
          if (const std::int64_t at = argmax(w, x, oh, ow); at >= 0) dx[at] += *dy;
    });
  };
}

}  // namespace

std::vector<KernelDef> max_pool() {
  return {{"max_pool1d", make_pool<1>}, {"max_pool2d", make_pool<2>}, {"max_pool_grad", make_grad}};
}

}  // namespace chop::kernels
