// y[n, c, i, j] = mean of x over rows [⌊i·H/h⌋, ⌈(i+1)·H/h⌉) and columns likewise,
// for h by w outputs
#include "ops/families/layers/pool.hpp"

namespace chop::ops::adaptive_avg_pool2d {

OpDef define() {
  return adaptive_avg_pool_op({
      .name = "adaptive_avg_pool2d",
      .doc = "mean over patches that cover x evenly, as many as output_size says",
      .module = "AdaptiveAvgPool2d",
      .function = "torch.nn.functional.adaptive_avg_pool2d",
      .dims = 2,
  });
}

}  // namespace chop::ops::adaptive_avg_pool2d
