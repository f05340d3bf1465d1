// y[n, c, o] = mean of x[n, c, l] for l in [⌊o·L/O⌋, ⌈(o+1)·L/O⌉), of O outputs
#include "ops/families/layers/pool.hpp"

namespace chop::ops::adaptive_avg_pool1d {

OpDef define() {
  return adaptive_avg_pool_op<1>({
      .name = "adaptive_avg_pool1d",
      .doc = "mean over patches that cover x evenly, as many as output_size says",
      .module = "AdaptiveAvgPool1d",
      .function = "torch.adaptive_avg_pool1d",
      .torch = "F.adaptive_avg_pool1d(x, output_size)",
      .samples = {{.attrs = {{"output_size", Ints{1}}}, .inputs = {{{2, 3, 5}}}},
                  {.attrs = {{"output_size", Ints{3}}}, .inputs = {{{1, 2, 7}}}},
                  {.attrs = {{"output_size", Ints{5}}}, .inputs = {{{1, 1, 3}}}},
                  {.attrs = {{"output_size", Ints{1}}}, .inputs = {{{1, 1, 1}}}},
                  {.attrs = {{"output_size", Ints{2}}}, .inputs = {{{2, 4}}}}},
  });
}

}  // namespace chop::ops::adaptive_avg_pool1d
