// Shapes of convolutions, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/families/layers/conv.hpp"
#include "support/rng.hpp"

namespace chop {

/// Over square images, padded by half the kernel.
inline ops::ConvShape square_conv(std::int64_t batch, std::int64_t in, std::int64_t out,
                                  std::int64_t size, std::int64_t kernel, std::int64_t stride,
                                  std::int64_t groups = 1) {
  ops::ConvShape shape{.batch = batch, .in_channels = in, .out_channels = out, .groups = groups};
  ops::Window& w = shape.window;
  w.kernel = {kernel, kernel};
  w.stride = {stride, stride};
  w.padding = {kernel / 2, kernel / 2, 0};
  w.in = {size, size};
  const std::int64_t positions = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  w.out = {positions, positions};
  return shape;
}

/// The same convolution over images of another size, with other padding and dilation.
inline ops::ConvShape over_images(ops::ConvShape shape, ops::Extent in, ops::Extent padding,
                                  ops::Extent dilation = {}) {
  ops::Window& w = shape.window;
  w.in = in;
  w.padding = padding;
  w.dilation = dilation;
  const auto positions = [](std::int64_t size, std::int64_t pad, std::int64_t kernel,
                            std::int64_t gap, std::int64_t step) {
    return (size + 2 * pad - gap * (kernel - 1) - 1) / step + 1;
  };
  w.out = {positions(in.h, padding.h, w.kernel.h, dilation.h, w.stride.h),
           positions(in.w, padding.w, w.kernel.w, dilation.w, w.stride.w)};
  return shape;
}

/// Small ones of every kind: windows, strides, dilations, padding, groups, odd numbers of channels,
/// one position, several images.
inline std::vector<ops::ConvShape> small_convs() {
  return {square_conv(1, 1, 1, 1, 1, 1),
          square_conv(2, 3, 20, 23, 7, 2),
          square_conv(1, 64, 64, 13, 3, 1),
          square_conv(3, 65, 33, 7, 3, 1),
          square_conv(1, 128, 96, 9, 3, 2),
          square_conv(1, 512, 128, 7, 3, 1),
          square_conv(4, 16, 70, 5, 1, 1),
          square_conv(1, 24, 8, 40, 1, 2),
          square_conv(2, 32, 48, 12, 3, 1),
          square_conv(2, 24, 24, 9, 3, 1, 24),
          square_conv(1, 12, 24, 10, 3, 2, 4),
          over_images(square_conv(2, 48, 32, 8, 3, 1), {11, 6}, {0, 2, 0}),
          over_images(square_conv(1, 5, 40, 8, 3, 1), {8, 21}, {3, 4, 0}),
          over_images(square_conv(2, 12, 17, 8, 5, 1), {11, 6}, {2, 2, 0}),
          over_images(square_conv(1, 70, 32, 8, 3, 1), {9, 14}, {2, 2, 0}, {2, 2}),
          over_images(square_conv(1, 9, 31, 8, 3, 2), {12, 12}, {3, 3, 0}, {3, 2}),
          over_images(square_conv(1, 40, 64, 8, 3, 3), {17, 35}, {0, 1, 0})};
}

/// Any small one; the same for the same number.
inline ops::ConvShape random_conv(std::uint64_t number) {
  const Stream die(number, "conv shape");
  std::uint64_t drawn = 0;
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(
                     die.below(drawn++, static_cast<std::uint64_t>(high - low + 1)));
  };
  // Half of them as Winograd wants them.
  const bool winograd = between(0, 1) == 0;
  const std::int64_t groups = !winograd && between(0, 3) == 0 ? between(2, 4) : 1;
  ops::ConvShape shape{.batch = between(1, 3),
                       .in_channels = winograd ? 16 * between(2, 5) : groups * between(1, 40),
                       .out_channels = winograd ? 16 * between(2, 9) : groups * between(1, 50),
                       .groups = groups};
  ops::Window& w = shape.window;
  ops::Extent dilation = {};
  if (winograd) {
    w.kernel = {3, 3};
  } else {
    w.kernel = {between(1, 5), between(1, 5)};
    w.stride = {between(1, 3), between(1, 3)};
    dilation = {between(1, 2), between(1, 2)};
  }
  const auto reach = [](std::int64_t kernel, std::int64_t gap) { return gap * (kernel - 1) + 1; };
  // Padding below the reach of the window: every row of the output sees some of the image.
  const ops::Extent most = {reach(w.kernel.h, dilation.h), reach(w.kernel.w, dilation.w)};
  const ops::Extent padding = {between(0, most.h - 1), between(0, most.w - 1), 0};
  const ops::Extent in = {std::max<std::int64_t>(most.h - 2 * padding.h, 0) + between(1, 14),
                          std::max<std::int64_t>(most.w - 2 * padding.w, 0) + between(1, 14)};
  return over_images(shape, in, padding, dilation);
}

}  // namespace chop
