// y = (x − mean) / √(var + eps) · weight + bias per channel of x [N, C, D, H, W];
// results 1 and 2 are the mean and 1/√(var + eps) that were used.
#include "ops/families/layers/batch_norm.hpp"

namespace chop::ops::batch_norm3d {

OpDef define() {
  return batch_norm_op<3>({
      .name = "batch_norm3d",
      .doc = "y = (x − mean) / √(var + eps) · weight + bias per channel",
      .module = "BatchNorm3d",
      .samples = {{.attrs = norm_attrs(2), .inputs = {{{2, 2, 1, 2, 2}}}},
                  {.attrs = norm_attrs(2, {{"training", true}, {"momentum", 0.3}}),
                   .inputs = {{{2, 2, 2, 1, 2}}}},
                  {.attrs = norm_attrs(1, {{"affine", false}, {"eps", 0.1}}),
                   .inputs = {{{2, 1, 1, 1, 1}}}}},
  });
}

}  // namespace chop::ops::batch_norm3d
