// y[n, o, i·stride − padding + k·dilation, ...] += w[c, o, k, l] · x[n, c, i, j], starting from
// b[o]
#include "ops/families/layers/conv_transpose.hpp"

namespace chop::ops::conv_transpose2d {

OpDef define() {
  return conv_transpose_op<2>({
      .name = "conv_transpose2d",
      .doc = "y[n, o, i·stride − padding + k·dilation, j·stride − padding + l·dilation] += "
             "w[c, o, k, l] · x[n, c, i, j], starting from b[o]",
      .module = "ConvTranspose2d",
      .samples = {{.attrs = conv_attrs(2, 3, {3}, {{"padding", Ints{1}}}),
                   .inputs = {{{2, 2, 3, 2}}}},
                  {.attrs = conv_attrs(2, 2, {3, 2},
                                       {{"stride", Ints{2, 1}},
                                        {"padding", Ints{1, 0}},
                                        {"output_padding", Ints{1, 0}},
                                        {"dilation", Ints{1, 2}},
                                        {"groups", 2},
                                        {"bias", false}}),
                   .inputs = {{{1, 2, 3, 3}}}},
                  {.attrs = conv_attrs(1, 1, {1}), .inputs = {{{1, 1, 1, 1}}}},
                  {.attrs = conv_attrs(2, 1, {2}, {{"stride", Ints{2}}}), .inputs = {{{2, 2, 3}}}}},
  });
}

}  // namespace chop::ops::conv_transpose2d
