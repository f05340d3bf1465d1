// Winograd's convolutions against sums in double: whole, and in the tiles of the backend.
#include "runtime/conv/frozen/backends/winograd/winograd_conv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/conv/frozen/conv_backend.hpp"
#include "support/conv_shapes.hpp"
#include "support/noise.hpp"

namespace chop {
namespace {

using test::noise;

/// A window of 3 x 3 with steps of one, padded by `padding`, over images of h x w.
ops::ConvShape conv3(std::int64_t batch, std::int64_t in, std::int64_t out, std::int64_t h,
                     std::int64_t w, ops::Extent padding) {
  ops::ConvShape shape = square_conv(batch, in, out, 3, 3, 1);
  shape.window.padding = padding;
  shape.window.in = {h, w};
  shape.window.out = {h + 2 * padding.h - 2, w + 2 * padding.w - 2};
  return shape;
}

struct Data {
  std::vector<float> x, w, bias;  ///< images with their channels last

  explicit Data(const ops::ConvShape& c)
      : x(noise(c.batch * c.window.in.area() * c.in_channels, "x")),
        w(noise(c.out_channels * c.in_channels * 9, "w")),
        bias(noise(c.out_channels, "bias")) {}
};

/// The sum at a position, in double.
double sum_at(const ops::ConvShape& c, const Data& data, std::int64_t n, std::int64_t y,
              std::int64_t x, std::int64_t o) {
  const ops::Extent& in = c.window.in;
  double sum = 0;
  for (std::int64_t k = 0; k < 9; ++k) {
    const std::int64_t row = c.window.row(y, k / 3), column = c.window.column(x, k % 3);
    if (!c.window.contains(0, row, column)) continue;
    for (std::int64_t i = 0; i < c.in_channels; ++i)
      sum += static_cast<double>(data.x[static_cast<std::size_t>(
                 ((n * in.h + row) * in.w + column) * c.in_channels + i)]) *
             data.w[static_cast<std::size_t>((o * c.in_channels + i) * 9 + k)];
  }
  return sum;
}

std::vector<float> run(const WinogradConv& winograd, const ops::ConvShape& c, const Data& data,
                       const ConvTile& tile, const float* bias) {
  std::vector<float> sums(
      static_cast<std::size_t>(tile.images * tile.rows * c.window.out.w * tile.channels), 7.0F);
  std::vector<std::byte> scratch(winograd.scratch_bytes(tile) + 64);
  winograd.run(tile, data.x.data(), bias, sums.data(), scratch.data());
  return sums;
}

ConvTile whole(const ops::ConvShape& c) {
  return {.images = c.batch, .rows = c.window.out.h, .channels = c.out_channels};
}

/// Positions of a tile in order, then its channels: f(sum's index, n, y, x, o).
template <class F>
void for_each_sum(const ops::ConvShape& c, const ConvTile& tile, F f) {
  std::size_t at = 0;
  for (std::int64_t n = tile.image; n < tile.image + tile.images; ++n)
    for (std::int64_t y = tile.row; y < tile.row + tile.rows; ++y)
      for (std::int64_t x = 0; x < c.window.out.w; ++x)
        for (std::int64_t o = tile.channel; o < tile.channel + tile.channels; ++o)
          f(at++, n, y, x, o);
}

TEST(Winograd, IsTheSumInDoubleForImagesOfEverySizeAndPadding) {
  const ops::ConvShape shapes[] = {
      conv3(1, 32, 32, 1, 1, {1, 1, 0}),  conv3(2, 32, 48, 3, 3, {0, 0, 0}),
      conv3(1, 48, 32, 2, 9, {1, 1, 0}),  conv3(3, 64, 80, 7, 7, {1, 1, 0}),
      conv3(1, 32, 64, 8, 5, {2, 2, 0}),  conv3(1, 16, 16, 6, 6, {1, 0, 0}),
      conv3(2, 32, 112, 5, 4, {3, 4, 0}), conv3(1, 128, 144, 9, 12, {1, 1, 0})};
  for (const ops::ConvShape& c : shapes) {
    const Data data(c);
    const WinogradConv winograd(c, data.w.data());
    const std::vector<float> sums = run(winograd, c, data, whole(c), data.bias.data());
    const std::vector<float> plain = run(winograd, c, data, whole(c), nullptr);
    // Each of 9 in_channels products has a size near one: what is lost grows as their root.
    const double slack = 2e-7 * std::sqrt(9.0 * double(c.in_channels)) * 16;
    for_each_sum(c, whole(c), [&](std::size_t at, auto n, auto y, auto x, auto o) {
      const double sum = sum_at(c, data, n, y, x, o);
      const double bias = data.bias[static_cast<std::size_t>(o)];
      ASSERT_NEAR(plain[at], sum, slack) << n << " " << y << " " << x << " " << o;
      ASSERT_NEAR(sums[at], sum + bias, slack + 1e-6);
    });
  }
}

TEST(Winograd, IntegersThatFitAreExact) {
  const ops::ConvShape c = conv3(1, 32, 32, 10, 11, {1, 1, 0});
  Data data(c);
  for (float& x : data.x) x = std::round(x * 4);
  for (float& w : data.w) w = std::round(w * 4);
  const std::vector<float> sums = run(WinogradConv(c, data.w.data()), c, data, whole(c), nullptr);
  for_each_sum(c, whole(c), [&](std::size_t at, auto n, auto y, auto x, auto o) {
    ASSERT_EQ(sums[at], sum_at(c, data, n, y, x, o));
  });
}

TEST(Winograd, TilesHaveTheBitsOfTheWhole) {
  for (const ops::ConvShape& c :
       {conv3(1, 64, 64, 30, 30, {1, 1, 0}), conv3(9, 512, 128, 7, 7, {1, 1, 0}),
        conv3(1, 256, 192, 14, 14, {1, 1, 0}), conv3(2, 32, 32, 61, 17, {1, 1, 0})}) {
    const Data data(c);
    const WinogradConv winograd(c, data.w.data());
    const std::vector<float> all = run(winograd, c, data, whole(c), data.bias.data());
    const ConvJob job{.shape = c, .weights = data.w.data(), .exact = false};
    const std::unique_ptr<TiledConv> tiled = find_conv_backend("winograd")->make(job);
    for (const ConvTile& tile : tiled->tiles()) {
      EXPECT_EQ(tile.row % kWinogradOutput, 0);
      const std::vector<float> part = run(winograd, c, data, tile, data.bias.data());
      for_each_sum(c, tile, [&](std::size_t at, auto n, auto y, auto x, auto o) {
        const std::int64_t position = (n * c.window.out.h + y) * c.window.out.w + x;
        ASSERT_EQ(part[at], all[static_cast<std::size_t>(position * c.out_channels + o)]);
      });
    }
  }
}

TEST(Winograd, ANanReachesTheOutputsOfItsPatchesAndNoOthers) {
  const ops::ConvShape c = conv3(1, 32, 32, 12, 12, {1, 1, 0});
  Data data(c);
  data.x[(6 * 12 + 6) * 32 + 5] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> sums = run(WinogradConv(c, data.w.data()), c, data, whole(c), nullptr);
  for_each_sum(c, whole(c), [&](std::size_t at, auto /*n*/, auto y, auto x, auto /*o*/) {
    const bool near = std::abs(y - 6) <= 1 && std::abs(x - 6) <= 1;
    const bool tile = y >= 4 && y < 8 && x >= 4 && x < 8;
    if (near) {
      EXPECT_TRUE(std::isnan(sums[at]));
    }
    if (!tile) {
      EXPECT_FALSE(std::isnan(sums[at])) << y << " " << x;
    }
  });
}

}  // namespace
}  // namespace chop
