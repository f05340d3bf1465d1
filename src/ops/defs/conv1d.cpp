// y[n, o, l] = b[o] + Σ w[o, c, k] · x[n, c, l·stride − padding + k·dilation]
// where c runs over the channels of o's group; outside x there are zeros.
#include "ops/families/layers/conv.hpp"

namespace chop::ops::conv1d {

OpDef define() {
  return conv_op({
      .name = "conv1d",
      .doc = "y[n, o, l] = b[o] + Σ w[o, c, k] · x[n, c, l·stride − padding + k·dilation]",
      .module = "Conv1d",
      .dims = 1,
      .traits = Trait::CountsBits,
  });
}

}  // namespace chop::ops::conv1d
