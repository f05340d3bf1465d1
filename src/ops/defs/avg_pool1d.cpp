// y[n, c, l] = mean of x[n, c, l·stride − padding ...] over the window
#include "ops/families/layers/pool.hpp"

namespace chop::ops::avg_pool1d {

OpDef define() {
  return avg_pool_op<1>({
      .name = "avg_pool1d",
      .doc = "y[n, c, l] = mean over k of x[n, c, l·stride − padding + k]",
      .module = "AvgPool1d",
      .function = "torch.avg_pool1d",
      .samples = {{.attrs = {{"kernel_size", Ints{2}}}, .inputs = {{{2, 3, 6}}}},
                  {.attrs = {{"kernel_size", Ints{3}},
                             {"stride", Ints{2}},
                             {"padding", Ints{1}},
                             {"ceil_mode", true}},
                   .inputs = {{{1, 2, 6}}}},
                  {.attrs = {{"kernel_size", Ints{3}},
                             {"stride", Ints{2}},
                             {"padding", Ints{1}},
                             {"ceil_mode", true},
                             {"count_include_pad", false}},
                   .inputs = {{{1, 2, 6}}}},
                  {.attrs = {{"kernel_size", Ints{1}}}, .inputs = {{{1, 1, 1}}}},
                  {.attrs = {{"kernel_size", Ints{3}}, {"stride", Ints{1}}}, .inputs = {{{2, 5}}}}},
  });
}

}  // namespace chop::ops::avg_pool1d
