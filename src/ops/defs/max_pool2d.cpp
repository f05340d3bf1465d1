// y[n, c, i, j] = the largest x[n, c, ...] in the window that starts at (i, j)·stride − padding
// The first maximum counts when several are equal; NaN is larger than everything.
#include "ops/families/layers/pool.hpp"

namespace chop::ops::max_pool2d {

OpDef define() {
  return max_pool_op({
      .name = "max_pool2d",
      .doc = "y[n, c, i, j] = max over k, l of x[n, c, i·stride − padding + k·dilation, "
             "j·stride − padding + l·dilation]",
      .module = "MaxPool2d",
      .dims = 2,
  });
}

}  // namespace chop::ops::max_pool2d
