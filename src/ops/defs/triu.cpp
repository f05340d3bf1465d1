// y[..., i, j] = x[..., i, j] where j − i ≥ diagonal, else 0
#include "ops/families/indexing/triangle.hpp"

namespace chop::ops::triu {

OpDef define() {
  return triangle_op(
      /*lower=*/false,
      {.name = "triu",
       .doc = "y[..., i, j] = x[..., i, j] where j − i ≥ diagonal, else 0: the upper "
              "triangle of each matrix",
       .function = "torch.triu",
       .method = "triu",
       .torch = "torch.triu(x, diagonal)"});
}

}  // namespace chop::ops::triu
