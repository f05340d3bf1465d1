// y[n, o, l] = b[o] + Σ w[o, c, k] · x[n, c, l·stride − padding + k·dilation]
// where c runs over the channels of o's group; outside x there are zeros.
#include "ops/families/layers/conv.hpp"

namespace chop::ops::conv1d {

OpDef define() {
  return conv_op<1>({
      .name = "conv1d",
      .doc = "y[n, o, l] = b[o] + Σ w[o, c, k] · x[n, c, l·stride − padding + k·dilation]",
      .module = "Conv1d",
      .traits = Trait::CountsBits,
      .samples = {{.attrs = conv_attrs(2, 3, {3}), .inputs = {{{2, 2, 7}}}},
                  {.attrs = conv_attrs(2, 4, {3},
                                       {{"stride", Ints{2}},
                                        {"padding", Ints{2}},
                                        {"dilation", Ints{2}},
                                        {"groups", 2},
                                        {"bias", false}}),
                   .inputs = {{{2, 2, 6}}}},
                  {.attrs = conv_attrs(3, 3, {2}, {{"groups", 3}, {"stride", Ints{3}}}),
                   .inputs = {{{1, 3, 8}}}},
                  {.attrs = conv_attrs(1, 1, {1}), .inputs = {{{1, 1, 1}}}},
                  {.attrs = conv_attrs(2, 1, {5}, {{"padding", Ints{4}}}), .inputs = {{{2, 1}}}}},
  });
}

}  // namespace chop::ops::conv1d
