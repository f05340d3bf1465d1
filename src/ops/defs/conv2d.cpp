// y[n, o, i, j] = b[o] + Σ w[o, c, k, l] · x[n, c, i·stride − padding + k·dilation, ...]
// where c runs over the channels of o's group; outside x there are zeros.
#include "ops/families/layers/conv.hpp"

namespace chop::ops::conv2d {

OpDef define() {
  return conv_op({
      .name = "conv2d",
      .doc = "y[n, o, i, j] = b[o] + Σ w[o, c, k, l] · "
             "x[n, c, i·stride − padding + k·dilation, j·stride − padding + l·dilation]",
      .module = "Conv2d",
      .dims = 2,
      .traits = Trait::CountsBits,
  });
}

}  // namespace chop::ops::conv2d
