// Those who make the sums of convolutions of bytes make the same ones, to the last bit.
#include "runtime/conv/frozen/conv_sums.hpp"

#include <gtest/gtest.h>

#include "runtime/conv/frozen/amx.hpp"
#include "runtime/kernel.hpp"
#include "runtime/onednn.hpp"
#include "support/conv_shapes.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

struct Problem {
  ConvSumsJob job;
  std::vector<float> weights;
  std::vector<std::int8_t> codes;  ///< of the weights
  std::vector<std::byte> images;   ///< channels last
};

/// Codes of all sizes, the largest among them.
Problem problem(const ops::ConvShape& shape, bool has_sign, std::uint64_t seed) {
  const Stream die(seed, "codes");
  std::uint64_t n = 0;
  Problem p;
  p.job.shape = shape;
  p.job.grid = Element{};
  p.job.grid->low = has_sign ? -128 : 0;
  p.job.weight_grid = Element{};
  p.job.weight_grid->scale = 1;
  p.images.resize(static_cast<std::size_t>(shape.batch * shape.window.in.area()) *
                  static_cast<std::size_t>(shape.in_channels));
  for (std::byte& x : p.images) x = static_cast<std::byte>(die.below(n++, 256));
  p.codes.resize(static_cast<std::size_t>(shape.out_channels * shape.in_channels *
                                          shape.window.kernel.area()));
  for (std::int8_t& w : p.codes)
    w = static_cast<std::int8_t>(static_cast<int>(die.below(n++, 256)) - 128);
  p.weights.assign(p.codes.begin(), p.codes.end());
  p.job.weights = p.weights.data();
  return p;
}

/// All sums [image, row, column, channel], made piece by piece.
std::vector<std::int32_t> all_sums(ConvSums& maker, const Problem& p) {
  const ops::ConvShape& c = p.job.shape;
  const ops::Extent& out = c.window.out;
  std::vector<std::int32_t> all(static_cast<std::size_t>(c.batch * out.area() * c.out_channels), 7);
  for (std::size_t i = 0; i < maker.pieces().size(); ++i) {
    const ImagePiece& piece = maker.pieces()[i];
    std::vector<std::int32_t> sums(
        static_cast<std::size_t>(piece.images * piece.rows * out.w * piece.channels));
    std::vector<std::byte> scratch(maker.scratch_bytes(i) + 64, std::byte{0xA5});
    maker.run(i, p.images.data(), reinterpret_cast<std::byte*>(sums.data()), scratch.data());
    std::size_t at = 0;
    for (std::int64_t n = piece.image; n < piece.image + piece.images; ++n)
      for (std::int64_t place = piece.row * out.w; place < (piece.row + piece.rows) * out.w;
           ++place)
        for (std::int64_t o = piece.channel; o < piece.channel + piece.channels; ++o)
          all[static_cast<std::size_t>((n * out.area() + place) * c.out_channels + o)] = sums[at++];
  }
  return all;
}

std::int32_t sum_at(const Problem& p, std::int64_t n, std::int64_t place, std::int64_t o) {
  const ops::ConvShape& c = p.job.shape;
  const ops::Window& w = c.window;
  std::int32_t sum = 0;
  for (std::int64_t k = 0; k < w.kernel.area(); ++k) {
    const std::int64_t y = w.row(place / w.out.w, k / w.kernel.w);
    const std::int64_t x = w.column(place % w.out.w, k % w.kernel.w);
    if (!w.contains(0, y, x)) continue;
    for (std::int64_t i = 0; i < c.in_channels; ++i) {
      const std::byte code =
          p.images[static_cast<std::size_t>((n * w.in.area() + w.at(0, y, x)) * c.in_channels + i)];
      const int value = p.job.has_sign() ? static_cast<std::int8_t>(code) : static_cast<int>(code);
      sum +=
          value * p.codes[static_cast<std::size_t>((o * c.in_channels + i) * w.kernel.area() + k)];
    }
  }
  return sum;
}

void check(ConvSums& maker, const Problem& p) {
  const ops::ConvShape& c = p.job.shape;
  const std::vector<std::int32_t> all = all_sums(maker, p);
  std::size_t at = 0;
  for (std::int64_t n = 0; n < c.batch; ++n)
    for (std::int64_t place = 0; place < c.window.out.area(); ++place)
      for (std::int64_t o = 0; o < c.out_channels; ++o, ++at)
        ASSERT_EQ(all[at], sum_at(p, n, place, o)) << n << " " << place << " " << o;
}

ops::ConvShape with(ops::ConvShape shape, ops::Extent in, ops::Extent padding,
                    ops::Extent dilation = {}) {
  ops::Window& w = shape.window;
  w.in = in;
  w.padding = padding;
  w.dilation = dilation;
  const auto places = [](std::int64_t size, std::int64_t pad, std::int64_t kernel, std::int64_t gap,
                         std::int64_t step) {
    return (size + 2 * pad - gap * (kernel - 1) - 1) / step + 1;
  };
  w.out = {places(in.h, padding.h, w.kernel.h, dilation.h, w.stride.h),
           places(in.w, padding.w, w.kernel.w, dilation.w, w.stride.w)};
  return shape;
}

class ByteSums : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Signs, ByteSums, testing::Bool());

TEST_P(ByteSums, AreExactWhoeverMakesThem) {
  if (!has_exact_bytes()) GTEST_SKIP() << "no VNNI";
  const ops::ConvShape shapes[] = {
      square_conv(1, 1, 1, 1, 1, 1),
      square_conv(2, 3, 20, 23, 7, 2),
      square_conv(1, 64, 64, 13, 3, 1),
      square_conv(3, 65, 33, 7, 3, 1),
      square_conv(1, 128, 96, 9, 3, 2),
      square_conv(1, 512, 128, 7, 3, 1),
      square_conv(4, 16, 70, 5, 1, 1),
      square_conv(1, 24, 8, 40, 1, 2),
      with(square_conv(1, 5, 40, 8, 3, 1), {8, 21}, {3, 4, 0}),
      with(square_conv(2, 12, 17, 8, 5, 1), {11, 6}, {2, 2, 0}),
      with(square_conv(1, 70, 32, 8, 3, 1), {9, 14}, {2, 2, 0}, {2, 2}),
      with(square_conv(1, 9, 31, 8, 3, 2), {12, 12}, {3, 3, 0}, {3, 2}),
      with(square_conv(1, 40, 64, 8, 3, 3), {17, 35}, {0, 1, 0})};
  std::uint64_t seed = 0;
  for (const ops::ConvShape& shape : shapes) {
    SCOPED_TRACE(seed);
    const Problem p = problem(shape, GetParam(), seed++);
    check(*primitive_sums(p.job), p);
    if (!has_amx()) continue;
    const std::unique_ptr<ConvSums> amx = amx_sums(p.job);
    ASSERT_NE(amx, nullptr);
    check(*amx, p);
  }
}

TEST(MatrixUnit, SumsOfGroupsAreNotForTheMatrixUnit) {
  const Problem p = problem(square_conv(1, 8, 8, 5, 3, 1), true, 1);
  ConvSumsJob groups = p.job;
  groups.shape.groups = 2;
  EXPECT_EQ(amx_sums(groups), nullptr);
  ConvSumsJob floats = p.job;
  floats.grid.reset();
  EXPECT_EQ(amx_sums(floats), nullptr);
}

}  // namespace
}  // namespace chop
