// y[n, c, l] = max over k of x[n, c, l·stride − padding + k·dilation]
// The first maximum counts when several are equal; NaN is larger than everything.
#include "ops/families/layers/pool.hpp"

namespace chop::ops::max_pool1d {

OpDef define() {
  return max_pool_op({
      .name = "max_pool1d",
      .doc = "y[n, c, l] = max over k of x[n, c, l·stride − padding + k·dilation]",
      .module = "MaxPool1d",
      .dims = 1,
  });
}

}  // namespace chop::ops::max_pool1d
