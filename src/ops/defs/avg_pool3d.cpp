// y[n, c, i, j, k] = mean of x[n, c, ...] over the window that starts at
// (i, j, k)·stride − padding
#include "ops/families/layers/pool.hpp"

namespace chop::ops::avg_pool3d {

OpDef define() {
  return avg_pool_op({
      .name = "avg_pool3d",
      .doc = "y[n, c, i, j, k] = mean over p, q, r of x[n, c, i·stride − padding + p, "
             "j·stride − padding + q, k·stride − padding + r]",
      .module = "AvgPool3d",
      .function = "torch._C._nn.avg_pool3d",
      .dims = 3,
  });
}

}  // namespace chop::ops::avg_pool3d
