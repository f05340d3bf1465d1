// What the image data sets share: bytes to reals, samples cut to a number of rows.
#pragma once

#include "data/dataset.hpp"

namespace chop::data {

/// Pixels 0 .. 255 of U8 [n, c, h, w] as F32 in 0 .. 1 (torchvision's ToTensor), then
/// (x - mean[c]) / deviation[c] where those are given; all in single precision. Keeps the
/// first `rows` images when rows > 0.
Split images_to_split(const Tensor& pixels, const Tensor& labels, std::span<const float> mean,
                      std::span<const float> deviation, std::int64_t rows, int threads);

}  // namespace chop::data
