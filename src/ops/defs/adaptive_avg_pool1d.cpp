// y[n, c, o] = mean of x[n, c, l] for l in [⌊o·L/O⌋, ⌈(o+1)·L/O⌉), of O outputs
#include "ops/families/layers/pool.hpp"

namespace chop::ops::adaptive_avg_pool1d {

OpDef define() {
  return adaptive_avg_pool_op({
      .name = "adaptive_avg_pool1d",
      .doc = "mean over patches that cover x evenly, as many as output_size says",
      .module = "AdaptiveAvgPool1d",
      .function = "torch.adaptive_avg_pool1d",
      .dims = 1,
  });
}

}  // namespace chop::ops::adaptive_avg_pool1d
