// Shapes of convolutions over square images, for tests.
#pragma once

#include "ops/families/layers/conv.hpp"

namespace chop {

inline ops::ConvShape square_conv(std::int64_t batch, std::int64_t in, std::int64_t out,
                                  std::int64_t size, std::int64_t kernel, std::int64_t stride,
                                  std::int64_t groups = 1) {
  ops::ConvShape shape{.batch = batch, .in_channels = in, .out_channels = out, .groups = groups};
  ops::Window& w = shape.window;
  w.kernel = {kernel, kernel};
  w.stride = {stride, stride};
  w.padding = {kernel / 2, kernel / 2, 0};
  w.in = {size, size};
  const std::int64_t places = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  w.out = {places, places};
  return shape;
}

}  // namespace chop
