// y[n, o, i, j] = b[o] + Σ w[o, c, k, l] · x[n, c, i·stride − padding + k·dilation, ...]
// where c runs over the channels of o's group; outside x there are zeros.
#include "ops/families/layers/conv.hpp"

namespace chop::ops::conv2d {

OpDef define() {
  return conv_op<2>({
      .name = "conv2d",
      .doc = "y[n, o, i, j] = b[o] + Σ w[o, c, k, l] · "
             "x[n, c, i·stride − padding + k·dilation, j·stride − padding + l·dilation]",
      .module = "Conv2d",
      .traits = Trait::CountsBits,
      .samples = {{.attrs = conv_attrs(2, 3, {3}, {{"padding", Ints{1}}}),
                   .inputs = {{{2, 2, 4, 5}}}},
                  {.attrs = conv_attrs(4, 2, {3, 2},
                                       {{"stride", Ints{2, 1}},
                                        {"padding", Ints{0, 1}},
                                        {"dilation", Ints{1, 3}},
                                        {"groups", 2},
                                        {"bias", false}}),
                   .inputs = {{{1, 4, 5, 4}}}},
                  {.attrs = conv_attrs(3, 6, {2}, {{"groups", 3}, {"stride", Ints{2}}}),
                   .inputs = {{{2, 3, 5, 3}}}},
                  {.attrs = conv_attrs(1, 1, {1}), .inputs = {{{1, 1, 1, 1}}}},
                  {.attrs = conv_attrs(2, 1, {1}, {{"stride", Ints{2}}, {"padding", Ints{1}}}),
                   .inputs = {{{2, 3, 3}}}}},
  });
}

}  // namespace chop::ops::conv2d
