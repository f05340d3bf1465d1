// Windows that slide over images: what convolution and pooling share.
//
// A one-dimensional signal is an image of height one, an image a volume of depth one, so every
// loop is written once.
#pragma once

#include "ops/core/op_def.hpp"

namespace chop::ops {

struct Extent {
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::int64_t d = 1;

  bool operator==(const Extent&) const = default;
  std::int64_t area() const { return d * h * w; }
};

/// A window of `kernel` taps, `dilation` apart, at `out` positions of an image.
struct Window {
  Extent in;
  Extent out;
  Extent kernel;
  Extent stride;
  Extent padding = {0, 0, 0};
  Extent dilation;

  /// Where tap `k` of the window at `o` falls in the image; outside [0, in) it is in the padding.
  std::int64_t layer(std::int64_t o, std::int64_t k) const {
    return o * stride.d - padding.d + k * dilation.d;
  }
  std::int64_t row(std::int64_t o, std::int64_t k) const {
    return o * stride.h - padding.h + k * dilation.h;
  }
  std::int64_t column(std::int64_t o, std::int64_t k) const {
    return o * stride.w - padding.w + k * dilation.w;
  }
  bool contains(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return z >= 0 && z < in.d && y >= 0 && y < in.h && x >= 0 && x < in.w;
  }
  /// The offset of an element of the image.
  std::int64_t at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return (z * in.h + y) * in.w + x;
  }
};

/// Calls f(at) for every tap of the window at (od, oh, ow): its offset in the image, -1 in the
/// padding.
template <class F>
void for_each_tap(const Window& window, std::int64_t od, std::int64_t oh, std::int64_t ow, F&& f) {
  for (std::int64_t kd = 0; kd < window.kernel.d; ++kd)
    for (std::int64_t kh = 0; kh < window.kernel.h; ++kh)
      for (std::int64_t kw = 0; kw < window.kernel.w; ++kw) {
        const std::int64_t z = window.layer(od, kd);
        const std::int64_t y = window.row(oh, kh);
        const std::int64_t x = window.column(ow, kw);
        f(window.contains(z, y, x) ? window.at(z, y, x) : -1);
      }
}

/// A list attribute over `dims` (1 to 3) dimensions, each entry at least `least`. One entry
/// stands for all. Dimensions that are not there are 1, for paddings 0.
Result<Extent> extent(const Call& call, std::string_view attr, std::size_t dims,
                      std::int64_t least);
/// The last `dims` dimensions of a shape.
Extent image_of(const Shape& shape, std::size_t dims);
/// `shape` with its last `dims` dimensions replaced.
Shape with_image(Shape shape, std::size_t dims, Extent image);

/// Checks that x is [N, C, spatial...] or, as in PyTorch, [C, spatial...] without a batch.
Status check_image(const Call& call, const Shape& x, std::size_t dims);

/// A list as Python shows it: (3, 3), one entry repeated `dims` times.
std::string tuple_repr(const Call& call, std::string_view attr, std::size_t dims);
/// A list as it was given: 3 for a single number, (3, 2) otherwise.
std::string given_repr(const Ints& list);
/// Samples for three dimensions, cut to the last `dims`: shapes and lists with an entry for each.
std::vector<Sample> in_dims(std::size_t dims, std::vector<Sample> samples);
/// "5 x 4", in one dimension "4", in three "2 x 5 x 4".
std::string size_text(Extent extent, std::size_t dims);

}  // namespace chop::ops
