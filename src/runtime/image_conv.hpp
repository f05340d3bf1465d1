// Convolutions of a chain: images with their channels last, weights that never change and were
// packed once, float or bytes. The work is cut into pieces (images, bands of rows, groups of
// output channels) by the shape alone; each piece is one oneDNN primitive on one thread, and the
// stages of the chain follow at once, while its sums are in the cache.
#pragma once

#include <vector>

#include "ops/conv.hpp"
#include "runtime/kernel.hpp"

namespace chop {

struct ImageConvJob {
  ops::ConvShape shape;
  const float* weights = nullptr;    ///< [out, in / groups, kernel...]; read now, not kept
  std::optional<Element> grid = {};  ///< of the images; they are then codes of one byte
  std::optional<Element> weight_grid = {};
  std::vector<Stage> stages = {};
  bool exact = true;  ///< false: a normalisation may become part of the weights
};

/// The job of a call (x, weight[, bias]) but for its shape.
ImageConvJob image_job(const KernelCall& call, std::vector<Stage> stages);

/// Operand 0 of the kernel is the images. Empty when oneDNN refuses.
Kernel image_conv(ImageConvJob job);

}  // namespace chop
