// The taps of a convolution's windows, some at a time: what copies windows (im2col), and what adds
// to them, walks over these.
#pragma once

#include "ops/families/layers/conv.hpp"

namespace chop::runtime {

/// A tap of every window: the plane of its channel, and where it lies relative to the first tap.
struct Tap {
  std::int64_t plane, z, y, x;
};

/// Taps that are listed at a time.
constexpr std::int64_t kTaps = 1024;
using Taps = std::array<Tap, kTaps>;

/// Taps [first, first + count) of a window, in the order (channel, layer, row, column) of weights.
inline Taps list_taps(const ops::ConvShape& conv, std::int64_t first, std::int64_t count) {
  const ops::Window& w = conv.window;
  Taps taps;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t tap = (first + k) % w.kernel.area();
    taps[static_cast<std::size_t>(k)] = {
        (first + k) / w.kernel.area() * w.in.area(), tap / (w.kernel.h * w.kernel.w) * w.dilation.d,
        tap / w.kernel.w % w.kernel.h * w.dilation.h, tap % w.kernel.w * w.dilation.w};
  }
  return taps;
}

/// Output positions [first, first + count).
struct Positions {
  std::int64_t first, count;
};

/// Calls f(p, k, offset in the input) for tap k, of `count`, of the window at position first + p,
/// position by position; taps in the padding are left out.
template <class F>
void for_taps_inside(const ops::Window& w, const Positions& positions, const Taps& taps,
                     std::int64_t count, F&& f) {
  for (std::int64_t p = 0; p < positions.count; ++p) {
    const std::int64_t at = positions.first + p;
    const std::int64_t z = w.layer(at / (w.out.h * w.out.w), 0);
    const std::int64_t y = w.row(at / w.out.w % w.out.h, 0);
    const std::int64_t x = w.column(at % w.out.w, 0);
    for (std::int64_t k = 0; k < count; ++k) {
      const Tap& tap = taps[static_cast<std::size_t>(k)];
      if (w.contains(z + tap.z, y + tap.y, x + tap.x))
        f(p, k, tap.plane + w.at(z + tap.z, y + tap.y, x + tap.x));
    }
  }
}

}  // namespace chop::runtime
