// y = (x − mean) / √(var + eps) · weight + bias per channel of x [N, C, H, W];
// results 1 and 2 are the mean and 1/√(var + eps) that were used.
#include "ops/families/layers/batch_norm.hpp"

namespace chop::ops::batch_norm2d {

OpDef define() {
  return batch_norm_op({
      .name = "batch_norm2d",
      .doc = "y = (x − mean) / √(var + eps) · weight + bias per channel",
      .module = "BatchNorm2d",
      .dims = 2,
  });
}

}  // namespace chop::ops::batch_norm2d
