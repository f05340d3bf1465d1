// y[n, o, i·stride − padding + p·dilation, ...] += w[c, o, p, q, r] · x[n, c, i, j, k], starting
// from b[o]
#include "ops/families/layers/conv_transpose.hpp"

namespace chop::ops::conv_transpose3d {

OpDef define() {
  return conv_transpose_op<3>({
      .name = "conv_transpose3d",
      .doc = "y[n, o, i·stride − padding + p·dilation, j·stride − padding + q·dilation, k·stride "
             "− padding + r·dilation] += w[c, o, p, q, r] · x[n, c, i, j, k], starting from b[o]",
      .module = "ConvTranspose3d",
      .samples = {{.attrs = conv_attrs(1, 2, {2}), .inputs = {{{1, 1, 2, 2, 3}}}},
                  {.attrs = conv_attrs(2, 2, {1, 2, 3},
                                       {{"stride", Ints{1, 2, 1}},
                                        {"padding", Ints{0, 1, 1}},
                                        {"output_padding", Ints{0, 1, 0}},
                                        {"groups", 2}}),
                   .inputs = {{{1, 2, 2, 2, 2}}}},
                  {.attrs = conv_attrs(1, 1, {1}, {{"bias", false}}),
                   .inputs = {{{1, 1, 1, 1, 1}}}}},
  });
}

}  // namespace chop::ops::conv_transpose3d
