// y[n, o, i·stride − padding + k·dilation] += w[c, o, k] · x[n, c, i], starting from b[o]
#include "ops/families/layers/conv_transpose.hpp"

namespace chop::ops::conv_transpose1d {

OpDef define() {
  return conv_transpose_op<1>({
      .name = "conv_transpose1d",
      .doc = "y[n, o, i·stride − padding + k·dilation] += w[c, o, k] · x[n, c, i], starting "
             "from b[o]",
      .module = "ConvTranspose1d",
      .samples = {{.attrs = conv_attrs(2, 3, {3}), .inputs = {{{2, 2, 4}}}},
                  {.attrs = conv_attrs(2, 4, {3},
                                       {{"stride", Ints{3}},
                                        {"padding", Ints{1}},
                                        {"output_padding", Ints{2}},
                                        {"dilation", Ints{2}},
                                        {"groups", 2},
                                        {"bias", false}}),
                   .inputs = {{{1, 2, 3}}}},
                  {.attrs = conv_attrs(1, 1, {1}), .inputs = {{{1, 1, 1}}}},
                  {.attrs = conv_attrs(2, 1, {2}, {{"stride", Ints{2}}}), .inputs = {{{2, 3}}}},
                  {.attrs = conv_attrs(1, 2, {2}), .inputs = {{{0, 1, 3}}}}},
  });
}

}  // namespace chop::ops::conv_transpose1d
