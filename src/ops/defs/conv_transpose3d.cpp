// y[n, o, i·stride − padding + p·dilation, ...] += w[c, o, p, q, r] · x[n, c, i, j, k], starting
// from b[o]
#include "ops/families/layers/conv_transpose.hpp"

namespace chop::ops::conv_transpose3d {

OpDef define() {
  return conv_transpose_op({
      .name = "conv_transpose3d",
      .doc = "y[n, o, i·stride − padding + p·dilation, j·stride − padding + q·dilation, k·stride "
             "− padding + r·dilation] += w[c, o, p, q, r] · x[n, c, i, j, k], starting from b[o]",
      .module = "ConvTranspose3d",
      .dims = 3,
  });
}

}  // namespace chop::ops::conv_transpose3d
