// y = (x − mean) / √(var + eps) · weight + bias per channel of x [N, C] or [N, C, L];
// results 1 and 2 are the mean and 1/√(var + eps) that were used.
#include "ops/families/layers/batch_norm.hpp"

namespace chop::ops::batch_norm1d {

OpDef define() {
  return batch_norm_op<1>({
      .name = "batch_norm1d",
      .doc = "y = (x − mean) / √(var + eps) · weight + bias per channel",
      .module = "BatchNorm1d",
      .samples = {{.attrs = norm_attrs(3), .inputs = {{{4, 3}}}},
                  {.attrs = norm_attrs(3, {{"training", true}}), .inputs = {{{5, 3}}}},
                  {.attrs = norm_attrs(2, {{"training", true}, {"eps", 0.1}, {"momentum", 0.3}}),
                   .inputs = {{{2, 2, 3}}}},
                  {.attrs = norm_attrs(
                       2, {{"training", true}, {"affine", false}, {"track_running_stats", false}}),
                   .inputs = {{{4, 2}}}},
                  {.attrs = norm_attrs(3, {{"relu", true}, {"affine", false}}),
                   .inputs = {{{5, 3}}}},
                  {.attrs = norm_attrs(2, {{"track_running_stats", false}}),
                   .inputs = {{{1, 2, 4}}}},
                  {.attrs = norm_attrs(1, {{"affine", false}}), .inputs = {{{2, 1}}}}},
  });
}

}  // namespace chop::ops::batch_norm1d
