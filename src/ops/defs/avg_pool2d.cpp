// y[n, c, i, j] = mean of x[n, c, ...] over the window that starts at (i, j)·stride − padding
#include "ops/families/layers/pool.hpp"

namespace chop::ops::avg_pool2d {

OpDef define() {
  return avg_pool_op({
      .name = "avg_pool2d",
      .doc = "y[n, c, i, j] = mean over k, l of x[n, c, i·stride − padding + k, j·stride − "
             "padding + l]",
      .module = "AvgPool2d",
      .function = "torch._C._nn.avg_pool2d",
      .dims = 2,
  });
}

}  // namespace chop::ops::avg_pool2d
