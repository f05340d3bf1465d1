// Tiles: the units of work that the output of a convolution is cut into. The cut depends on the
// shape alone, so results do not depend on the number of threads.
#pragma once

#include "ops/families/layers/conv.hpp"

namespace chop::runtime {

inline std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

/// Images [image, image + images), rows [row, row + rows) of the output, output channels
/// [channel, channel + channels).
struct ConvTile {
  std::int64_t image = 0, images = 1;
  std::int64_t row = 0, rows = 0;
  std::int64_t channel = 0, channels = 0;

  bool operator==(const ConvTile&) const = default;
};

/// Tiles with some of the channels have a multiple of this, and begin with one.
constexpr std::int64_t kTileChannels = 64;

/// Multiply-accumulates that are worth a tile of their own where floats are multiplied.
constexpr std::int64_t kTileWork = std::int64_t{1} << 22;

/// Tiles for backends that add up products directly: about `work` multiply-accumulates each.
/// `element` is the size of a weight in bytes.
std::vector<ConvTile> direct_tiles(const ops::ConvShape& conv, std::int64_t element,
                                   std::int64_t work);

/// The tiles of `rows`, which have no channels yet, with `channels` output channels each. All rows
/// of one group of channels come together, so that its weights may stay in the cache.
std::vector<ConvTile> split_channels(const ops::ConvShape& conv, std::int64_t channels,
                                     const std::vector<ConvTile>& rows);

/// The rows of the input that rows [row, row + rows) of the output see, and how far the window
/// reaches beyond the image.
struct InputRows {
  std::int64_t first = 0, last = 0;  ///< rows of the image, [first, last)
  std::int64_t above = 0, below = 0;
};
InputRows input_rows_of(const ops::Window& window, std::int64_t row, std::int64_t rows);

}  // namespace chop::runtime
