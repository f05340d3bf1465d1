// y[n, c, i, j] = the largest x[n, c, ...] in the window that starts at (i, j)·stride − padding
// The first maximum counts when several are equal; NaN is larger than everything.
#include "ops/families/layers/pool.hpp"

namespace chop::ops::max_pool2d {

OpDef define() {
  return max_pool_op<2>({
      .name = "max_pool2d",
      .doc = "y[n, c, i, j] = max over k, l of x[n, c, i·stride − padding + k·dilation, "
             "j·stride − padding + l·dilation]",
      .module = "MaxPool2d",
      .samples =
          {{.attrs = {{"kernel_size", Ints{2}}},
            .inputs = {{.shape = {2, 2, 4, 5}, .distinct = true}}},
           {.attrs = {{"kernel_size", Ints{3}}, {"stride", Ints{2}}, {"padding", Ints{1}}},
            .inputs = {{.shape = {1, 2, 5, 4}, .distinct = true}}},
           {.attrs = {{"kernel_size", Ints{3, 2}},
                      {"stride", Ints{1, 3}},
                      {"padding", Ints{1, 0}},
                      {"ceil_mode", true}},
            .inputs = {{.shape = {1, 1, 3, 6}, .distinct = true}}},
           {.attrs = {{"kernel_size", Ints{2}}, {"dilation", Ints{2, 1}}, {"stride", Ints{1}}},
            .inputs = {{.shape = {1, 2, 4, 3}, .distinct = true}}},
           {.attrs = {{"kernel_size", Ints{2}},
                      {"stride", Ints{2}},
                      {"padding", Ints{1}},
                      {"ceil_mode", true}},
            .inputs = {{.shape = {1, 1, 4, 5}, .distinct = true}}},
           {.attrs = {{"kernel_size", Ints{1}}},
            .inputs = {{.shape = {1, 1, 1, 1}, .distinct = true}}},
           {.attrs = {{"kernel_size", Ints{2}}},
            .inputs = {{.shape = {2, 3, 3}, .distinct = true}}}},
  });
}

}  // namespace chop::ops::max_pool2d
