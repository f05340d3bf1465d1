// y[n, c, i, j] = mean of x[n, c, ...] over the window that starts at (i, j)·stride − padding
#include "ops/families/layers/pool.hpp"

namespace chop::ops::avg_pool2d {

OpDef define() {
  return avg_pool_op<2>({
      .name = "avg_pool2d",
      .doc = "y[n, c, i, j] = mean over k, l of x[n, c, i·stride − padding + k, j·stride − "
             "padding + l]",
      .module = "AvgPool2d",
      .function = "torch._C._nn.avg_pool2d",
      .samples = {{.attrs = {{"kernel_size", Ints{2}}}, .inputs = {{{2, 2, 4, 5}}}},
                  {.attrs = {{"kernel_size", Ints{3}}, {"stride", Ints{2}}, {"padding", Ints{1}}},
                   .inputs = {{{1, 2, 5, 4}}}},
                  {.attrs = {{"kernel_size", Ints{3, 2}},
                             {"stride", Ints{1, 3}},
                             {"padding", Ints{1, 0}},
                             {"ceil_mode", true},
                             {"count_include_pad", false}},
                   .inputs = {{{1, 1, 3, 6}}}},
                  {.attrs = {{"kernel_size", Ints{3}},
                             {"stride", Ints{2}},
                             {"padding", Ints{1}},
                             {"ceil_mode", true}},
                   .inputs = {{{1, 1, 4, 6}}}},
                  {.attrs = {{"kernel_size", Ints{1}}}, .inputs = {{{1, 1, 1, 1}}}},
                  {.attrs = {{"kernel_size", Ints{2}}}, .inputs = {{{2, 3, 3}}}}},
  });
}

}  // namespace chop::ops::avg_pool2d
