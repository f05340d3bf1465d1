// y[n, o, i, j, k] = b[o] + Σ w[o, c, p, q, r] · x[n, c, i·stride − padding + p·dilation, ...]
// where c runs over the channels of o's group; outside x there are zeros.
#include "ops/families/layers/conv.hpp"

namespace chop::ops::conv3d {

OpDef define() {
  return conv_op<3>({
      .name = "conv3d",
      .doc = "y[n, o, i, j, k] = b[o] + Σ w[o, c, p, q, r] · x[n, c, i·stride − padding + "
             "p·dilation, j·stride − padding + q·dilation, k·stride − padding + r·dilation]",
      .module = "Conv3d",
      .samples = {{.attrs = conv_attrs(2, 3, {2}, {{"padding", Ints{1}}}),
                   .inputs = {{{1, 2, 2, 3, 2}}}},
                  {.attrs = conv_attrs(2, 2, {1, 2, 3},
                                       {{"stride", Ints{2, 1, 1}},
                                        {"padding", Ints{0, 1, 2}},
                                        {"dilation", Ints{1, 2, 1}},
                                        {"groups", 2},
                                        {"bias", false}}),
                   .inputs = {{{2, 2, 3, 2, 3}}}},
                  {.attrs = conv_attrs(1, 1, {1}), .inputs = {{{1, 1, 1, 1, 1}}}},
                  {.attrs = conv_attrs(1, 2, {2}), .inputs = {{{1, 2, 2, 2}}}}},
  });
}

}  // namespace chop::ops::conv3d
