// y[n, o, i, j, k] = b[o] + Σ w[o, c, p, q, r] · x[n, c, i·stride − padding + p·dilation, ...]
// where c runs over the channels of o's group; outside x there are zeros.
#include "ops/families/layers/conv.hpp"

namespace chop::ops::conv3d {
namespace {

Attrs with(std::int64_t in, std::int64_t out, Ints kernel, Attrs more = {}) {
  more.insert({{"in_channels", in}, {"out_channels", out}, {"kernel_size", std::move(kernel)}});
  return more;
}

}  // namespace

OpDef define() {
  return conv_op(
      3, {
             .name = "conv3d",
             .doc = "y[n, o, i, j, k] = b[o] + Σ w[o, c, p, q, r] · x[n, c, i·stride − padding + "
                    "p·dilation, j·stride − padding + q·dilation, k·stride − padding + r·dilation]",
             .module = "Conv3d",
             .function = "torch.conv3d",
             .torch = "F.conv3d(x, weight, bias, stride, padding, dilation, groups)",
             .fx = "*xs, stride=stride, padding=padding, dilation=dilation, groups=groups",
             .samples = {{.attrs = with(2, 3, {2}, {{"padding", Ints{1}}}),
                          .inputs = {{{1, 2, 2, 3, 2}}}},
                         {.attrs = with(2, 2, {1, 2, 3},
                                        {{"stride", Ints{2, 1, 1}},
                                         {"padding", Ints{0, 1, 2}},
                                         {"dilation", Ints{1, 2, 1}},
                                         {"groups", std::int64_t{2}},
                                         {"bias", false}}),
                          .inputs = {{{2, 2, 3, 2, 3}}}},
                         {.attrs = with(1, 1, {1}), .inputs = {{{1, 1, 1, 1, 1}}}},
                         {.attrs = with(1, 2, {2}), .inputs = {{{1, 2, 2, 2}}}}},
         });
}

}  // namespace chop::ops::conv3d
