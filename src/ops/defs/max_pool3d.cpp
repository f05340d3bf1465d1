// y[n, c, i, j, k] = the largest x[n, c, ...] in the window that starts at
// (i, j, k)·stride − padding. The first maximum counts when several are equal; NaN is larger
// than everything.
#include "ops/families/layers/pool.hpp"

namespace chop::ops::max_pool3d {

OpDef define() {
  return max_pool_op<3>({
      .name = "max_pool3d",
      .doc = "y[n, c, i, j, k] = max over p, q, r of x[n, c, i·stride − padding + "
             "p·dilation, j·stride − padding + q·dilation, k·stride − padding + r·dilation]",
      .module = "MaxPool3d",
      .samples = {{.attrs = {{"kernel_size", Ints{2}}},
                   .inputs = {{.shape = {1, 2, 2, 3, 4}, .distinct = true}}},
                  {.attrs = {{"kernel_size", Ints{1, 2, 3}},
                             {"stride", Ints{1, 2, 2}},
                             {"padding", Ints{0, 1, 1}},
                             {"ceil_mode", true}},
                   .inputs = {{.shape = {1, 1, 2, 3, 4}, .distinct = true}}},
                  {.attrs = {{"kernel_size", Ints{2}}, {"dilation", Ints{2, 1, 1}}},
                   .inputs = {{.shape = {1, 3, 2, 2}, .distinct = true}}},
                  {.attrs = {{"kernel_size", Ints{1}}}, .inputs = {{{1, 1, 1, 1, 1}}}}},
  });
}

}  // namespace chop::ops::max_pool3d
