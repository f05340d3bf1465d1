// The rows of the input that a tile of a convolution's output needs.
#include "runtime/conv/frozen/conv_tiles.hpp"

#include <gtest/gtest.h>

#include "support/conv_shapes.hpp"

namespace chop {
namespace {

TEST(ConvTiles, InputRowsAreAllThatItsWindowsSeeAndTilesOfSeveralImagesHaveAllRows) {
  std::vector<ops::ConvShape> shapes = small_convs();
  for (std::uint64_t number = 0; number < 50; ++number) shapes.push_back(random_conv(number));
  for (const ops::ConvShape& large :
       {square_conv(1, 3, 64, 224, 7, 2), square_conv(16, 512, 512, 7, 3, 1),
        square_conv(300, 4, 4, 3, 1, 1), square_conv(3, 256, 513, 14, 3, 2)})
    shapes.push_back(large);
  for (const ops::ConvShape& shape : shapes) {
    const ops::Window& w = shape.window;
    for (const ConvTile& tile : direct_tiles(shape, 4, kTileWork)) {
      const InputRows input = input_rows_of(w, tile.row, tile.rows);
      for (std::int64_t r = tile.row; r < tile.row + tile.rows; ++r)
        for (std::int64_t k = 0; k < w.kernel.h; ++k) {
          const std::int64_t at = w.row(r, k);
          if (at >= 0 && at < w.in.h) {
            EXPECT_TRUE(at >= input.first && at < input.last);
          }
          EXPECT_GE(at, input.first - input.above);
          EXPECT_LT(at, input.last + input.below);
        }
      if (tile.images > 1) {
        EXPECT_EQ(input.first, 0);
        EXPECT_EQ(input.last, w.in.h);
      }
    }
  }
}

TEST(ConvTiles, BandsManyWeightsAndSmallImagesAreCutDifferently) {
  const auto first = [](const ops::ConvShape& shape) {
    return direct_tiles(shape, 4, kTileWork).front();
  };
  EXPECT_EQ(first(square_conv(1, 64, 64, 56, 3, 1)),
            (ConvTile{.images = 1, .rows = 2, .channels = 64}));
  EXPECT_EQ(first(square_conv(1, 512, 512, 7, 3, 1)),
            (ConvTile{.images = 1, .rows = 7, .channels = 128}));
  EXPECT_EQ(first(square_conv(300, 4, 4, 3, 1, 1)),
            (ConvTile{.images = 300, .rows = 3, .channels = 4}));
}

}  // namespace
}  // namespace chop
