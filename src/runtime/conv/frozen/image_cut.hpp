// How the work of a convolution is cut into pieces: by its shape alone, so that the result does
// not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/families/layers/conv.hpp"

namespace chop::runtime {

/// How many parts of this size a whole has, the last one perhaps smaller.
inline std::int64_t parts_of(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

/// Images [image, image + images), rows [row, row + rows) of the output, output channels
/// [channel, channel + channels).
struct ImagePiece {
  std::int64_t image = 0, images = 1;
  std::int64_t row = 0, rows = 0;
  std::int64_t channel = 0, channels = 0;

  bool operator==(const ImagePiece&) const = default;
};

/// `element` is the size of a weight in bytes.
std::vector<ImagePiece> cut_images(const ops::ConvShape& conv, std::int64_t element);

/// The same for tiles of 2 x 2 results (runtime/conv/frozen/winograd.hpp): rows begin with an even
/// one.
std::vector<ImagePiece> cut_tiles(const ops::ConvShape& conv);

/// The same for bytes on a matrix unit (runtime/conv/frozen/amx.hpp): fewer and larger pieces.
std::vector<ImagePiece> cut_bytes(const ops::ConvShape& conv);

/// Pieces with some of the channels have a multiple of this, and begin with one.
constexpr std::int64_t kPieceChannels = 64;

/// The rows of the input that rows [row, row + rows) of the output see, and how far the window
/// reaches beyond the image.
struct Band {
  std::int64_t first = 0, last = 0;  ///< rows of the image, [first, last)
  std::int64_t above = 0, below = 0;
};
Band band_of(const ops::Window& window, std::int64_t row, std::int64_t rows);

}  // namespace chop::runtime
