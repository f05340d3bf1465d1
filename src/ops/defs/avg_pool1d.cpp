// y[n, c, l] = mean of x[n, c, l·stride − padding ...] over the window
#include "ops/families/layers/pool.hpp"

namespace chop::ops::avg_pool1d {

OpDef define() {
  return avg_pool_op({
      .name = "avg_pool1d",
      .doc = "y[n, c, l] = mean over k of x[n, c, l·stride − padding + k]",
      .module = "AvgPool1d",
      .function = "torch.avg_pool1d",
      .dims = 1,
  });
}

}  // namespace chop::ops::avg_pool1d
