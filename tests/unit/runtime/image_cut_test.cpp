// Pieces of a convolution: every sum belongs to one of them, and bands see what their rows need.
#include "runtime/conv/frozen/image_cut.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/conv_shapes.hpp"

namespace chop {
namespace {

const std::vector<ops::ConvShape>& shapes() {
  static const std::vector<ops::ConvShape> all = {
      square_conv(1, 3, 64, 224, 7, 2),      square_conv(1, 64, 64, 56, 3, 1),
      square_conv(16, 512, 512, 7, 3, 1),    square_conv(1, 512, 512, 7, 3, 1),
      square_conv(5, 1, 8, 28, 5, 1),        square_conv(300, 4, 4, 3, 1, 1),
      square_conv(2, 96, 96, 112, 3, 2, 96), square_conv(1, 1280, 1000, 1, 1, 1),
      square_conv(1, 1, 1, 1, 1, 1),         square_conv(3, 256, 513, 14, 3, 2)};
  return all;
}

void expect_one_owner(const ops::ConvShape& shape, const std::vector<ImagePiece>& pieces) {
  const std::int64_t rows = shape.window.out.h;
  std::vector<int> owners(static_cast<std::size_t>(shape.batch * rows * shape.out_channels));
  for (const ImagePiece& piece : pieces)
    for (std::int64_t n = piece.image; n < piece.image + piece.images; ++n)
      for (std::int64_t r = piece.row; r < piece.row + piece.rows; ++r)
        for (std::int64_t c = piece.channel; c < piece.channel + piece.channels; ++c)
          ++owners[static_cast<std::size_t>((n * rows + r) * shape.out_channels + c)];
  EXPECT_TRUE(std::all_of(owners.begin(), owners.end(), [](int count) { return count == 1; }));
}

TEST(ImageCut, EverySumBelongsToOnePiece) {
  for (const ops::ConvShape& shape : shapes())
    for (const std::int64_t element : {1, 4}) expect_one_owner(shape, cut_images(shape, element));
  for (const ops::ConvShape& shape : shapes()) expect_one_owner(shape, cut_bytes(shape));
}

TEST(ImageCut, TilesBelongToOnePieceEachAndAreNotTornApart) {
  for (const ops::ConvShape& shape : shapes()) {
    const std::vector<ImagePiece> pieces = cut_tiles(shape);
    expect_one_owner(shape, pieces);
    for (const ImagePiece& piece : pieces) {
      EXPECT_EQ(piece.row % 2, 0);
      EXPECT_TRUE(piece.rows == shape.window.out.h || piece.images == 1);
    }
  }
}

TEST(ImageCut, ABandHasAllRowsItsWindowsSeeAndPiecesOfSeveralImagesAreWhole) {
  for (const ops::ConvShape& shape : shapes()) {
    const ops::Window& w = shape.window;
    for (const ImagePiece& piece : cut_images(shape, 4)) {
      const Band band = band_of(w, piece.row, piece.rows);
      for (std::int64_t r = piece.row; r < piece.row + piece.rows; ++r)
        for (std::int64_t k = 0; k < w.kernel.h; ++k) {
          const std::int64_t at = w.row(r, k);
          if (at >= 0 && at < w.in.h) {
            EXPECT_TRUE(at >= band.first && at < band.last);
          }
          EXPECT_GE(at, band.first - band.above);
          EXPECT_LT(at, band.last + band.below);
        }
      if (piece.images > 1) {
        EXPECT_EQ(band.first, 0);
        EXPECT_EQ(band.last, w.in.h);
      }
    }
  }
}

TEST(ImageCut, OneLargeImageIsWorkForSeveralThreads) {
  EXPECT_GE(cut_images(square_conv(1, 64, 64, 56, 3, 1), 4).size(), 4U);
  EXPECT_GE(cut_images(square_conv(1, 512, 512, 7, 3, 1), 4).size(), 4U);
  EXPECT_GE(cut_tiles(square_conv(1, 64, 64, 56, 3, 1)).size(), 4U);
  EXPECT_GE(cut_tiles(square_conv(1, 256, 256, 14, 3, 1)).size(), 4U);
}

}  // namespace
}  // namespace chop
