// Max pooling of one plane and its gradient, a row of positions at a time, tap after tap, so that
// neighbouring positions do not wait for each other. A window of 2 with stride 2 over one row:
//
//   x      x0 x1 x2 x3 x4 x5
//   tap 0  x0    x2    x4          y = each of them
//   tap 1     x1    x3    x5       y = the larger of y and each of them
#pragma once

#include "ops/families/layers/pool.hpp"
#include "runtime/scratch.hpp"

namespace chop::runtime::kernels {

/// The positions of a row for which one tap falls into the image: [first, last).
struct PoolRange {
  std::int64_t first = 0, last = 0;
};

struct PoolPlanes {
  std::int64_t planes = 0;
  ops::Window window;
  std::vector<PoolRange> columns;  ///< by tap along the width
};

/// Positions o in [0, out) with 0 <= o · stride + offset < in.
inline PoolRange positions_inside(std::int64_t offset, std::int64_t stride, std::int64_t in,
                                  std::int64_t out) {
  const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const std::int64_t last = offset >= in ? 0 : (in - offset + stride - 1) / stride;
  return {std::min(first, out), std::clamp(last, std::min(first, out), out)};
}

inline std::shared_ptr<const PoolPlanes> pool_of(const ops::PoolShape& shape) {
  const ops::Window& w = shape.window;
  if (w.in.area() > std::numeric_limits<std::int32_t>::max()) return nullptr;
  PoolPlanes pool{shape.planes, w, {}};
  for (std::int64_t kw = 0; kw < w.kernel.w && pool.planes > 0; ++kw)
    pool.columns.push_back(positions_inside(w.column(0, kw), w.stride.w, w.in.w, w.out.w));
  return std::make_shared<const PoolPlanes>(std::move(pool));
}

/// One tap of a row of positions, `step` apart in x.
template <std::int64_t kStep>
void take_larger(const float* x, std::int64_t step, PoolRange range, float* best) {
  if (kStep != 0) step = kStep;
  for (std::int64_t o = range.first; o < range.last; ++o) {
    const float next = x[o * step];
    best[o] = next > best[o] || next != next ? next : best[o];
  }
}

/// Likewise, and `index` follows: the tap of position o is element first + o · step. No index yet
/// is -1. Conditions are joined without branches, so that the loop becomes vectors.
template <std::int64_t kStep>
void take_index(const float* image, std::int64_t first, std::int64_t step, PoolRange range,
                float* best, std::int32_t* index) {
  if (kStep != 0) step = kStep;
  const float* x = image + first;
  const auto start = static_cast<std::int32_t>(first);
  const auto apart = static_cast<std::int32_t>(step);
  const auto last = static_cast<std::int32_t>(range.last);
  for (auto o = static_cast<std::int32_t>(range.first); o < last; ++o) {
    const float next = x[o * step];
    const float old = best[o];
    const std::int32_t was = index[o];
    const bool better = (was < 0) | (next > old) | (next != next);
    best[o] = better ? next : old;
    index[o] = better ? start + o * apart : was;
  }
}

/// Calls tap(first, range) for every tap that row `oh` of positions has in the image; position o
/// of the range sees element first + o · stride.
template <class Tap>
void each_tap(const PoolPlanes& pool, std::int64_t oh, Tap tap) {
  const ops::Window& w = pool.window;
  for (std::int64_t kh = 0; kh < w.kernel.h; ++kh) {
    const std::int64_t ih = w.row(oh, kh);
    if (ih < 0 || ih >= w.in.h) continue;
    for (std::int64_t kw = 0; kw < w.kernel.w; ++kw)
      tap(ih * w.in.w + w.column(0, kw), pool.columns[static_cast<std::size_t>(kw)]);
  }
}

inline void pool_plane(const PoolPlanes& pool, const float* x, float* y) {
  const ops::Window& w = pool.window;
  for (std::int64_t oh = 0; oh < w.out.h; ++oh, y += w.out.w) {
    std::fill(y, y + w.out.w, -std::numeric_limits<float>::infinity());
    each_tap(pool, oh, [&](std::int64_t first, PoolRange range) {
      if (w.stride.w == 1) return take_larger<1>(x + first, 1, range, y);
      if (w.stride.w == 2) return take_larger<2>(x + first, 2, range, y);
      take_larger<0>(x + first, w.stride.w, range, y);
    });
  }
}

inline void grad_plane(const PoolPlanes& pool, const float* dy, const float* x, float* dx) {
  const ops::Window& w = pool.window;
  const auto width = static_cast<std::size_t>(w.out.w);
  std::byte* const memory = thread_scratch(width * (sizeof(float) + sizeof(std::int32_t)));
  auto* const best = reinterpret_cast<float*>(memory);
  auto* const index = reinterpret_cast<std::int32_t*>(memory + width * sizeof(float));
  std::fill(dx, dx + w.in.area(), 0.0F);
  for (std::int64_t oh = 0; oh < w.out.h; ++oh, dy += w.out.w) {
    std::fill(index, index + width, -1);
    std::fill(best, best + width, 0.0F);
    each_tap(pool, oh, [&](std::int64_t first, PoolRange range) {
      if (w.stride.w == 1) return take_index<1>(x, first, 1, range, best, index);
      if (w.stride.w == 2) return take_index<2>(x, first, 2, range, best, index);
      take_index<0>(x, first, w.stride.w, range, best, index);
    });
    for (std::int64_t ow = 0; ow < w.out.w; ++ow)
      if (index[ow] >= 0) dx[index[ow]] += dy[ow];
  }
}

}  // namespace chop::runtime::kernels
