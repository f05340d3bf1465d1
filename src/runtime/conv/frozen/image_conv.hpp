// Convolutions of a chain: images with their channels last, weights that never change and were
// packed once, float or bytes. The work is cut into pieces (images, bands of rows, groups of
// output channels) by the shape alone; each piece is one oneDNN primitive on one thread, and the
// stages of the chain follow at once, while its sums are in the cache.
#pragma once

#include <vector>

#include "runtime/conv/frozen/conv_sums.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime {

/// What makes the sums, and what is done to them. Where the job is not exact, a normalisation may
/// become part of the weights.
struct ImageConvJob : ConvSumsJob {
  std::vector<Stage> stages = {};
};

/// The job of a call (x, weight[, bias]) but for its shape.
ImageConvJob image_job(const KernelCall& call, std::vector<Stage> stages);

/// Operand 0 of the kernel is the images. Empty when oneDNN refuses.
Kernel image_conv(ImageConvJob job);

}  // namespace chop::runtime
