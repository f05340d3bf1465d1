// y[n, o, i·stride − padding + k·dilation] += w[c, o, k] · x[n, c, i], starting from b[o]
#include "ops/families/layers/conv_transpose.hpp"

namespace chop::ops::conv_transpose1d {
namespace {

Attrs with(std::int64_t in, std::int64_t out, Ints kernel, Attrs more = {}) {
  more.insert({{"in_channels", in}, {"out_channels", out}, {"kernel_size", std::move(kernel)}});
  return more;
}

}  // namespace

OpDef define() {
  return conv_transpose_op(
      1, {
             .name = "conv_transpose1d",
             .doc = "y[n, o, i·stride − padding + k·dilation] += w[c, o, k] · x[n, c, i], starting "
                    "from b[o]",
             .module = "ConvTranspose1d",
             .function = "torch.conv_transpose1d",
             .torch = "F.conv_transpose1d(x, weight, bias, stride, padding, output_padding, "
                      "groups, dilation)",
             .fx = "*xs, stride=stride, padding=padding, output_padding=output_padding, "
                   "groups=groups, dilation=dilation",
             .samples = {{.attrs = with(2, 3, {3}), .inputs = {{{2, 2, 4}}}},
                         {.attrs = with(2, 4, {3},
                                        {{"stride", Ints{3}},
                                         {"padding", Ints{1}},
                                         {"output_padding", Ints{2}},
                                         {"dilation", Ints{2}},
                                         {"groups", std::int64_t{2}},
                                         {"bias", false}}),
                          .inputs = {{{1, 2, 3}}}},
                         {.attrs = with(1, 1, {1}), .inputs = {{{1, 1, 1}}}},
                         {.attrs = with(2, 1, {2}, {{"stride", Ints{2}}}), .inputs = {{{2, 3}}}},
                         {.attrs = with(1, 2, {2}), .inputs = {{{0, 1, 3}}}}},
         });
}

}  // namespace chop::ops::conv_transpose1d
