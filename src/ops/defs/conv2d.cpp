// y[n, o, i, j] = b[o] + Σ w[o, c, k, l] · x[n, c, i·stride − padding + k·dilation, ...]
// where c runs over the channels of o's group; outside x there are zeros.
#include "ops/families/layers/conv.hpp"

namespace chop::ops::conv2d {
namespace {

Attrs with(std::int64_t in, std::int64_t out, Ints kernel, Attrs more = {}) {
  more.insert({{"in_channels", in}, {"out_channels", out}, {"kernel_size", std::move(kernel)}});
  return more;
}

}  // namespace

OpDef define() {
  return conv_op(
      2,
      {
          .name = "conv2d",
          .doc = "y[n, o, i, j] = b[o] + Σ w[o, c, k, l] · "
                 "x[n, c, i·stride − padding + k·dilation, j·stride − padding + l·dilation]",
          .module = "Conv2d",
          .function = "torch.conv2d",
          .torch = "F.conv2d(x, weight, bias, stride, padding, dilation, groups)",
          .fx = "*xs, stride=stride, padding=padding, dilation=dilation, groups=groups",
          .traits = Trait::CountsBits,
          .samples = {{.attrs = with(2, 3, {3}, {{"padding", Ints{1}}}),
                       .inputs = {{{2, 2, 4, 5}}}},
                      {.attrs = with(4, 2, {3, 2},
                                     {{"stride", Ints{2, 1}},
                                      {"padding", Ints{0, 1}},
                                      {"dilation", Ints{1, 3}},
                                      {"groups", std::int64_t{2}},
                                      {"bias", false}}),
                       .inputs = {{{1, 4, 5, 4}}}},
                      {.attrs = with(3, 6, {2}, {{"groups", std::int64_t{3}}, {"stride", Ints{2}}}),
                       .inputs = {{{2, 3, 5, 3}}}},
                      {.attrs = with(1, 1, {1}), .inputs = {{{1, 1, 1, 1}}}},
                      {.attrs = with(2, 1, {1}, {{"stride", Ints{2}}, {"padding", Ints{1}}}),
                       .inputs = {{{2, 3, 3}}}}},
      });
}

}  // namespace chop::ops::conv2d
