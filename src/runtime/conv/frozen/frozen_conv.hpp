// Convolutions of a chain (NHWC): weights that never change and were packed once, float or bytes.
//
// The output is cut into tiles (images, bands of rows, groups of channels) by the shape alone. Each
// tile runs on one thread: a backend (conv_backend.hpp) computes its accumulators, and the epilogue
// of the chain is applied to them while they are in the cache.
#pragma once

#include "runtime/conv/frozen/conv_backend.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime {

/// The convolution and its epilogue. Where the job is not exact, a normalisation may become part of
/// the weights.
struct FrozenConvJob : ConvJob {
  Epilogue epilogue = {};
};

/// The job of a call (x, weight[, bias]) but for its shape.
FrozenConvJob frozen_conv_job(const KernelCall& call, Epilogue epilogue);

/// Operand 0 of the kernel is the images. Empty when no backend takes the job.
Kernel frozen_conv(FrozenConvJob job);

}  // namespace chop::runtime
