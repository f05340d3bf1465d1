// y[n, c, l] = max over k of x[n, c, l·stride − padding + k·dilation]
// The first maximum counts when several are equal; NaN is larger than everything.
#include "ops/families/layers/pool.hpp"

namespace chop::ops::max_pool1d {

OpDef define() {
  return max_pool_op<1>({
      .name = "max_pool1d",
      .doc = "y[n, c, l] = max over k of x[n, c, l·stride − padding + k·dilation]",
      .module = "MaxPool1d",
      .samples = {{.attrs = {{"kernel_size", Ints{2}}},
                   .inputs = {{.shape = {2, 3, 6}, .distinct = true}}},
                  {.attrs = {{"kernel_size", Ints{3}},
                             {"stride", Ints{2}},
                             {"padding", Ints{1}},
                             {"dilation", Ints{2}},
                             {"ceil_mode", true}},
                   .inputs = {{.shape = {1, 2, 8}, .distinct = true}}},
                  {.attrs = {{"kernel_size", Ints{2}}, {"stride", Ints{3}}, {"ceil_mode", true}},
                   .inputs = {{.shape = {2, 1, 6}, .distinct = true}}},
                  {.attrs = {{"kernel_size", Ints{1}}},
                   .inputs = {{.shape = {1, 1, 1}, .distinct = true}}},
                  {.attrs = {{"kernel_size", Ints{3}}, {"stride", Ints{1}}},
                   .inputs = {{.shape = {2, 5}, .distinct = true}}}},
  });
}

}  // namespace chop::ops::max_pool1d
