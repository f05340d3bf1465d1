// Convolutions whose sums are so long that floats alone would lose digits: windows of 256 x 256
// or of thousands of channels. Towards the input they are here; forward is
// kernels/wide_products.cpp.
#pragma once

#include "runtime/conv/train/train_conv.hpp"

namespace chop::runtime {

/// Whether an element of y adds up too many products for floats.
bool has_long_windows(const ops::ConvShape& conv);

/// As conv_to_input(); empty where the sums are not that long.
ConvToInput long_conv_to_input(const ops::ConvShape& conv);

}  // namespace chop::runtime
