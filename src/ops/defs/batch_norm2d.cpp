// y = (x − mean) / √(var + eps) · weight + bias per channel of x [N, C, H, W];
// results 1 and 2 are the mean and 1/√(var + eps) that were used.
#include "ops/families/layers/batch_norm.hpp"

namespace chop::ops::batch_norm2d {

OpDef define() {
  return batch_norm_op<2>({
      .name = "batch_norm2d",
      .doc = "y = (x − mean) / √(var + eps) · weight + bias per channel",
      .module = "BatchNorm2d",
      .samples = {{.attrs = norm_attrs(3), .inputs = {{{2, 3, 2, 2}}}},
                  {.attrs = norm_attrs(2, {{"training", true}}), .inputs = {{{2, 2, 3, 2}}}},
                  {.attrs = norm_attrs(2, {{"training", true}, {"relu", true}}),
                   .inputs = {{{2, 2, 3, 4}}}},
                  {.attrs = norm_attrs(2, {{"training", true}, {"affine", false}}),
                   .inputs = {{{1, 2, 2, 3}}}},
                  {.attrs = norm_attrs(1, {{"training", true}, {"track_running_stats", false}}),
                   .inputs = {{{3, 1, 1, 2}}}},
                  {.attrs = norm_attrs(1), .inputs = {{{2, 1, 1, 1}}}}},
  });
}

}  // namespace chop::ops::batch_norm2d
