// y[n, o, i·stride − padding + k·dilation, ...] += w[c, o, k, l] · x[n, c, i, j], starting from
// b[o]
#include "ops/families/layers/conv_transpose.hpp"

namespace chop::ops::conv_transpose2d {

OpDef define() {
  return conv_transpose_op({
      .name = "conv_transpose2d",
      .doc = "y[n, o, i·stride − padding + k·dilation, j·stride − padding + l·dilation] += "
             "w[c, o, k, l] · x[n, c, i, j], starting from b[o]",
      .module = "ConvTranspose2d",
      .dims = 2,
  });
}

}  // namespace chop::ops::conv_transpose2d
