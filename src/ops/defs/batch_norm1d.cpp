// y = (x − mean) / √(var + eps) · weight + bias per channel of x [N, C] or [N, C, L];
// results 1 and 2 are the mean and 1/√(var + eps) that were used.
#include "ops/families/layers/batch_norm.hpp"

namespace chop::ops::batch_norm1d {

OpDef define() {
  return batch_norm_op({
      .name = "batch_norm1d",
      .doc = "y = (x − mean) / √(var + eps) · weight + bias per channel",
      .module = "BatchNorm1d",
      .dims = 1,
      .samples = {{.attrs = norm_attrs(3), .inputs = {{{4, 3}}}},
                  {.attrs = norm_attrs(3, {{"training", true}}), .inputs = {{{5, 3}}}},
                  {.attrs = norm_attrs(3, {{"relu", true}, {"affine", false}}),
                   .inputs = {{{5, 3}}}}},
  });
}

}  // namespace chop::ops::batch_norm1d
