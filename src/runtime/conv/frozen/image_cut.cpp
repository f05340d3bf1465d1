#include "runtime/conv/frozen/image_cut.hpp"

#include <algorithm>

namespace chop::runtime {
namespace {

/// Multiply-accumulates worth a piece of their own.
constexpr std::int64_t kPieceWork = std::int64_t{1} << 22;
/// Images that are work for all threads without being cut small.
constexpr std::int64_t kManyImages = 8;
/// Sums of a piece that stay in the second cache beside weights and images.
constexpr std::int64_t kPieceSums = std::int64_t{1} << 16;
/// Bytes of weights beyond which bands of rows would read them too often: each piece then has all
/// rows and some of the channels, so many that there are a few pieces.
constexpr std::int64_t kManyWeights = std::int64_t{1} << 20;
constexpr std::int64_t kFewestParts = 4;
/// Bytes of weights of a piece: with several images they should stay in the cache from one to the
/// next; for a single one they are read once, and more of them in a row are read faster.
constexpr std::int64_t kWeightsOfMany = std::int64_t{1} << 20;
constexpr std::int64_t kWeightsOfOne = std::int64_t{5} << 19;
/// Bytes of what the tiles of a piece see, of what one of them sees of a channel, and pieces that
/// leave no thread without work.
constexpr std::int64_t kBytesOfTiles = std::int64_t{1} << 20;
constexpr std::int64_t kSeenBytes = 64;
constexpr std::int64_t kFewestPieces = 4;

/// Pieces for all output channels, `channels` at a time, so that their weights may stay in the
/// cache.
std::vector<ImagePiece> by_channels(const ops::ConvShape& conv, std::int64_t channels,
                                    const std::vector<ImagePiece>& places) {
  std::vector<ImagePiece> pieces;
  for (std::int64_t c = 0; c < conv.out_channels; c += channels)
    for (ImagePiece piece : places) {
      piece.channel = c;
      piece.channels = std::min(channels, conv.out_channels - c);
      pieces.push_back(piece);
    }
  return pieces;
}

}  // namespace

Band band_of(const ops::Window& w, std::int64_t row, std::int64_t rows) {
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

namespace {

std::vector<ImagePiece> cut(const ops::ConvShape& conv, std::int64_t element,
                            std::int64_t piece_work) {
  const std::int64_t work = std::max<std::int64_t>(1, conv.macs() / conv.batch);
  const std::int64_t out_rows = conv.window.out.h;
  const std::int64_t row_sums = conv.window.out.w * conv.out_channels;
  const std::int64_t weights =
      conv.out_channels * conv.group_in() * conv.window.kernel.area() * element;
  std::int64_t images = 1, rows = out_rows, channels = conv.out_channels;
  if (2 * work <= piece_work && row_sums * out_rows <= kPieceSums) {
    images = std::min({piece_work / work, kPieceSums / (row_sums * out_rows), conv.batch});
  } else if (conv.groups == 1 && weights > kManyWeights && channels > kPieceChannels) {
    const std::int64_t parts =
        std::max(kFewestParts, parts_of(weights, conv.batch > 1 ? kWeightsOfMany : kWeightsOfOne));
    channels = parts_of(parts_of(channels, parts), kPieceChannels) * kPieceChannels;
  } else {
    const std::int64_t enough = conv.batch < kManyImages ? piece_work : 4 * piece_work;
    std::int64_t bands = std::max(work / enough, parts_of(row_sums * out_rows, kPieceSums));
    bands = std::clamp<std::int64_t>(parts_of(bands, 2) * 2, 1, out_rows);
    rows = parts_of(out_rows, bands);
  }
  std::vector<ImagePiece> places;
  for (std::int64_t n = 0; n < conv.batch; n += images)
    for (std::int64_t r = 0; r < out_rows; r += rows)
      places.push_back({.image = n,
                        .images = std::min(images, conv.batch - n),
                        .row = r,
                        .rows = std::min(rows, out_rows - r)});
  return by_channels(conv, channels, places);
}

}  // namespace

std::vector<ImagePiece> cut_images(const ops::ConvShape& conv, std::int64_t element) {
  return cut(conv, element, kPieceWork);
}

std::vector<ImagePiece> cut_bytes(const ops::ConvShape& conv) {
  constexpr std::int64_t kTimesAsFast = 4;
  return cut(conv, 1, kTimesAsFast * kPieceWork);
}

std::vector<ImagePiece> cut_tiles(const ops::ConvShape& conv) {
  const std::int64_t down = parts_of(conv.window.out.h, 2);
  const std::int64_t across = parts_of(conv.window.out.w, 2);
  const std::int64_t most = std::max<std::int64_t>(
      1, kBytesOfTiles / (kSeenBytes * conv.in_channels));  // tiles of a piece
  const std::int64_t images = std::clamp<std::int64_t>(most / (down * across), 1, conv.batch);
  std::int64_t bands = std::min(down, parts_of(down * across, most));
  if (conv.batch < kFewestPieces && bands > 1)
    bands = std::min(down, parts_of(bands, kFewestPieces) * kFewestPieces);
  std::vector<ImagePiece> places;
  for (std::int64_t n = 0; n < conv.batch; n += images)
    for (std::int64_t band = 0; band < bands; ++band) {
      const std::int64_t row = 2 * (band * down / bands);
      const std::int64_t end = std::min(conv.window.out.h, 2 * ((band + 1) * down / bands));
      places.push_back(
          {.image = n, .images = std::min(images, conv.batch - n), .row = row, .rows = end - row});
    }
  const bool few = static_cast<std::int64_t>(places.size()) < kFewestPieces;
  return by_channels(conv, few ? kPieceChannels : conv.out_channels, places);
}

}  // namespace chop::runtime
