// y[n, o, i·stride − padding + k·dilation] += w[c, o, k] · x[n, c, i], starting from b[o]
#include "ops/families/layers/conv_transpose.hpp"

namespace chop::ops::conv_transpose1d {

OpDef define() {
  return conv_transpose_op({
      .name = "conv_transpose1d",
      .doc = "y[n, o, i·stride − padding + k·dilation] += w[c, o, k] · x[n, c, i], starting "
             "from b[o]",
      .module = "ConvTranspose1d",
      .dims = 1,
  });
}

}  // namespace chop::ops::conv_transpose1d
