// y[n, c, i, j, k] = mean of the patch of x that position (i, j, k) of output_size covers
#include "ops/families/layers/pool.hpp"

namespace chop::ops::adaptive_avg_pool3d {

OpDef define() {
  return adaptive_avg_pool_op<3>({
      .name = "adaptive_avg_pool3d",
      .doc = "y[n, c, i, j, k] = mean of x[n, c, ...] over a patch; the patches of "
             "output_size positions cover x",
      .module = "AdaptiveAvgPool3d",
      .function = "torch.nn.functional.adaptive_avg_pool3d",
      .torch = "F.adaptive_avg_pool3d(x, output_size * (3 // len(output_size)))",
      .samples = {{.attrs = {{"output_size", Ints{1}}}, .inputs = {{{2, 2, 2, 3, 2}}}},
                  {.attrs = {{"output_size", Ints{2, 1, 3}}}, .inputs = {{{1, 1, 3, 2, 4}}}},
                  {.attrs = {{"output_size", Ints{2}}}, .inputs = {{{1, 1, 2, 3}}}}},
  });
}

}  // namespace chop::ops::adaptive_avg_pool3d
