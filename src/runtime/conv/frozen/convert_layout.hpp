// Images between their two layouts.
#pragma once

#include "runtime/kernel.hpp"

namespace chop::runtime {

/// Copies float images of this shape, [n, c, ...], to the layout from the other one.
Kernel convert_layout(const Shape& shape, Layout to);

}  // namespace chop::runtime
