// y[n, c, i, j, k] = the largest x[n, c, ...] in the window that starts at
// (i, j, k)·stride − padding. The first maximum counts when several are equal; NaN is larger
// than everything.
#include "ops/families/layers/pool.hpp"

namespace chop::ops::max_pool3d {

OpDef define() {
  return max_pool_op({
      .name = "max_pool3d",
      .doc = "y[n, c, i, j, k] = max over p, q, r of x[n, c, i·stride − padding + "
             "p·dilation, j·stride − padding + q·dilation, k·stride − padding + r·dilation]",
      .module = "MaxPool3d",
      .dims = 3,
  });
}

}  // namespace chop::ops::max_pool3d
