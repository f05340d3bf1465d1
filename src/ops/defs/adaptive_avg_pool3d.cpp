// y[n, c, i, j, k] = mean of the patch of x that position (i, j, k) of output_size covers
#include "ops/families/layers/pool.hpp"

namespace chop::ops::adaptive_avg_pool3d {

OpDef define() {
  return adaptive_avg_pool_op({
      .name = "adaptive_avg_pool3d",
      .doc = "y[n, c, i, j, k] = mean of x[n, c, ...] over a patch; the patches of "
             "output_size positions cover x",
      .module = "AdaptiveAvgPool3d",
      .function = "torch.nn.functional.adaptive_avg_pool3d",
      .dims = 3,
  });
}

}  // namespace chop::ops::adaptive_avg_pool3d
