// Cutting the output of a convolution into tiles, in one of three ways:
//
//   little work per image      several whole images to a tile
//   many weights               all rows of an image, some of the output channels
//   otherwise                  a band of rows with all channels
//
// For example resnet18's first stage, 64 to 64 channels on 56 x 56, is 115 million
// multiply-accumulates to an image: 28 bands of two rows. Its last, 512 to 512 channels on 7 x 7,
// has 9.4 MB of weights: four tiles of 128 channels.
#include "runtime/conv/frozen/conv_tiles.hpp"

namespace chop::runtime {
namespace {

/// Images that are work for all threads without being cut small.
constexpr std::int64_t kManyImages = 8;
/// Accumulators of a tile that stay in the second cache beside weights and images.
constexpr std::int64_t kTileAccumulators = std::int64_t{1} << 16;
/// Bytes of weights beyond which bands of rows would read them too often: each tile then has all
/// rows and some of the channels, so many that there are a few tiles.
constexpr std::int64_t kManyWeights = std::int64_t{1} << 20;
constexpr std::int64_t kFewestParts = 4;
/// Bytes of weights of a tile: with several images they should stay in the cache from one to the
/// next; for a single one they are read once, and more of them in a row are read faster.
constexpr std::int64_t kWeightsOfMany = std::int64_t{1} << 20;
constexpr std::int64_t kWeightsOfOne = std::int64_t{5} << 19;

}  // namespace

std::vector<ConvTile> split_channels(const ops::ConvShape& conv, std::int64_t channels,
                                     const std::vector<ConvTile>& rows) {
  std::vector<ConvTile> tiles;
  for (std::int64_t c = 0; c < conv.out_channels; c += channels)
    for (ConvTile tile : rows) {
      tile.channel = c;
      tile.channels = std::min(channels, conv.out_channels - c);
      tiles.push_back(tile);
    }
  return tiles;
}

std::vector<ConvTile> direct_tiles(const ops::ConvShape& conv, std::int64_t element,
                                   std::int64_t tile_work) {
  const std::int64_t work = std::max<std::int64_t>(1, conv.macs() / conv.batch);
  const std::int64_t out_rows = conv.window.out.h;
  const std::int64_t accumulators = out_rows * conv.window.out.w * conv.out_channels;
  const std::int64_t weights =
      conv.out_channels * conv.group_in() * conv.window.kernel.area() * element;
  std::int64_t images = 1, rows = out_rows, channels = conv.out_channels;
  if (2 * work <= tile_work && accumulators <= kTileAccumulators) {
    images = std::min({tile_work / work, kTileAccumulators / accumulators, conv.batch});
  } else if (conv.groups == 1 && weights > kManyWeights && channels > kTileChannels) {
    const std::int64_t parts =
        std::max(kFewestParts, ceil_div(weights, conv.batch > 1 ? kWeightsOfMany : kWeightsOfOne));
    channels = ceil_div(ceil_div(channels, parts), kTileChannels) * kTileChannels;
  } else {
    const std::int64_t enough = conv.batch < kManyImages ? tile_work : 4 * tile_work;
    std::int64_t bands = std::max(work / enough, ceil_div(accumulators, kTileAccumulators));
    bands = std::clamp<std::int64_t>(ceil_div(bands, 2) * 2, 1, out_rows);
    rows = ceil_div(out_rows, bands);
  }
  std::vector<ConvTile> tiles;
  for (std::int64_t n = 0; n < conv.batch; n += images)
    for (std::int64_t r = 0; r < out_rows; r += rows)
      tiles.push_back({.image = n,
                       .images = std::min(images, conv.batch - n),
                       .row = r,
                       .rows = std::min(rows, out_rows - r)});
  return split_channels(conv, channels, tiles);
}

InputRows input_rows_of(const ops::Window& w, std::int64_t row, std::int64_t rows) {
  const std::int64_t first = w.row(row, 0);
  const std::int64_t last = w.row(row + rows - 1, w.kernel.h - 1) + 1;
  // All rows are the whole image, also those that the last window does not reach: then images
  // follow each other without a gap.
  const bool whole = row == 0 && rows == w.out.h;
  return {.first = std::max<std::int64_t>(0, first),
          .last = whole ? w.in.h : std::min(w.in.h, last),
          .above = std::max<std::int64_t>(0, -first),
          .below = std::max<std::int64_t>(0, last - w.in.h)};
}

}  // namespace chop::runtime
