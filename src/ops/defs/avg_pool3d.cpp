// y[n, c, i, j, k] = mean of x[n, c, ...] over the window that starts at
// (i, j, k)·stride − padding
#include "ops/families/layers/pool.hpp"

namespace chop::ops::avg_pool3d {

OpDef define() {
  return avg_pool_op<3>({
      .name = "avg_pool3d",
      .doc = "y[n, c, i, j, k] = mean over p, q, r of x[n, c, i·stride − padding + p, "
             "j·stride − padding + q, k·stride − padding + r]",
      .module = "AvgPool3d",
      .function = "torch._C._nn.avg_pool3d",
      .samples = {{.attrs = {{"kernel_size", Ints{2}}}, .inputs = {{{1, 2, 2, 3, 4}}}},
                  {.attrs = {{"kernel_size", Ints{1, 2, 3}},
                             {"stride", Ints{1, 2, 2}},
                             {"padding", Ints{0, 1, 1}},
                             {"ceil_mode", true},
                             {"count_include_pad", false}},
                   .inputs = {{{1, 1, 2, 3, 4}}}},
                  {.attrs = {{"kernel_size", Ints{2}},
                             {"stride", Ints{2, 1, 1}},
                             {"padding", Ints{1, 0, 1}},
                             {"ceil_mode", true}},
                   .inputs = {{{1, 3, 2, 2}}}},
                  {.attrs = {{"kernel_size", Ints{1}}}, .inputs = {{{1, 1, 1, 1, 1}}}}},
  });
}

}  // namespace chop::ops::avg_pool3d
