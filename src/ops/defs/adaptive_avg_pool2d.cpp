// y[n, c, i, j] = mean of x over rows [⌊i·H/h⌋, ⌈(i+1)·H/h⌉) and columns likewise,
// for h by w outputs
#include "ops/families/layers/pool.hpp"

namespace chop::ops::adaptive_avg_pool2d {

OpDef define() {
  return adaptive_avg_pool_op<2>({
      .name = "adaptive_avg_pool2d",
      .doc = "mean over patches that cover x evenly, as many as output_size says",
      .module = "AdaptiveAvgPool2d",
      .function = "torch.nn.functional.adaptive_avg_pool2d",
      .torch = "F.adaptive_avg_pool2d(x, output_size * (2 // len(output_size)))",
      .samples = {{.attrs = {{"output_size", Ints{1}}}, .inputs = {{{2, 3, 3, 4}}}},
                  {.attrs = {{"output_size", Ints{3, 2}}}, .inputs = {{{1, 2, 5, 4}}}},
                  {.attrs = {{"output_size", Ints{2, 5}}}, .inputs = {{{1, 1, 3, 3}}}},
                  {.attrs = {{"output_size", Ints{1, 1}}}, .inputs = {{{1, 1, 1, 1}}}},
                  {.attrs = {{"output_size", Ints{2}}}, .inputs = {{{2, 3, 3}}}}},
  });
}

}  // namespace chop::ops::adaptive_avg_pool2d
