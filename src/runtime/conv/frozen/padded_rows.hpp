// Implicit im2col of byte images: the rows that a tile's windows see are copied once, with padding
// around them, and a window is read where it lies in the copy.
#pragma once

#include <cstring>

#include "runtime/conv/frozen/conv_tiles.hpp"

namespace chop::runtime {

struct PaddedRows {
  ops::ConvShape conv;
  std::int64_t element = 1;  ///< bytes of a value in the copy

  std::int64_t width() const { return conv.window.in.w + 2 * conv.window.padding.w; }
  std::int64_t row_bytes() const { return width() * conv.in_channels * element; }
  /// Rows that a tile sees, those in the padding included.
  std::int64_t rows(const ConvTile& tile) const {
    const ops::Window& w = conv.window;
    return (tile.rows - 1) * w.stride.h + (w.kernel.h - 1) * w.dilation.h + 1;
  }
  /// Copies them by `copy_values(from, count, to)`, with bytes of `padding` for what lies beyond
  /// the image; returns the end of the copy.
  template <class Copy>
  std::byte* copy(const ConvTile& tile, const std::byte* image, int padding, std::byte* to,
                  Copy&& copy_values) const {
    const ops::Window& w = conv.window;
    const std::int64_t inner = w.in.w * conv.in_channels;
    const std::int64_t side = w.padding.w * conv.in_channels * element;
    const std::int64_t first = w.row(tile.row, 0);
    for (std::int64_t y = first; y < first + rows(tile); ++y, to += row_bytes()) {
      if (y < 0 || y >= w.in.h) {
        std::memset(to, padding, static_cast<std::size_t>(row_bytes()));
        continue;
      }
      std::memset(to, padding, static_cast<std::size_t>(side));
      copy_values(image + y * inner, inner, to + side);
      std::memset(to + side + inner * element, padding, static_cast<std::size_t>(side));
    }
    return to;
  }
};

/// Entry [o, c, y, x] of weights, 0 beyond their ends.
inline std::int8_t weight_at(const ops::ConvShape& conv, const std::vector<std::int8_t>& weights,
                             std::int64_t o, std::int64_t c, std::int64_t y, std::int64_t x) {
  const ops::Extent& kernel = conv.window.kernel;
  if (o >= conv.out_channels || c >= conv.in_channels || x >= kernel.w) return 0;
  return weights[static_cast<std::size_t>(((o * conv.in_channels + c) * kernel.h + y) * kernel.w +
                                          x)];
}

}  // namespace chop::runtime
