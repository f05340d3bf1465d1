// Convolutions for training, on oneDNN. Tensors are dense, channels first (NCHW); weights change
// from step to step. Primitives are made once; a run cuts the batch into sub-batches that depend
// on the shape alone and runs each on one thread, so that the bits of the result do not depend on
// the number of threads.
#pragma once

#include <functional>

#include "ops/families/layers/conv.hpp"

namespace chop::runtime {

/// y = x * w + b; b is null without bias. Empty when oneDNN cannot do it.
using ConvForward =
    std::function<void(const float* x, const float* w, const float* b, float* y, int threads)>;
ConvForward conv_forward(const ops::ConvShape& shape, bool bias);

/// dx from dy and w. Empty when oneDNN cannot do it.
using ConvToInput = std::function<void(const float* dy, const float* w, float* dx, int threads)>;
ConvToInput conv_to_input(const ops::ConvShape& shape);

/// dw from dy and x: one partial sum per sub-batch, added in order. Empty when oneDNN cannot.
using ConvToWeight = std::function<void(const float* dy, const float* x, float* dw, int threads)>;
ConvToWeight conv_to_weight(const ops::ConvShape& shape);

}  // namespace chop::runtime
