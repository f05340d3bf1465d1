// y[n, o, i, j, k] = b[o] + Σ w[o, c, p, q, r] · x[n, c, i·stride − padding + p·dilation, ...]
// where c runs over the channels of o's group; outside x there are zeros.
#include "ops/families/layers/conv.hpp"

namespace chop::ops::conv3d {

OpDef define() {
  return conv_op({
      .name = "conv3d",
      .doc = "y[n, o, i, j, k] = b[o] + Σ w[o, c, p, q, r] · x[n, c, i·stride − padding + "
             "p·dilation, j·stride − padding + q·dilation, k·stride − padding + r·dilation]",
      .module = "Conv3d",
      .dims = 3,
  });
}

}  // namespace chop::ops::conv3d
