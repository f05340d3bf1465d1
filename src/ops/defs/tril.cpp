// y[..., i, j] = x[..., i, j] where j − i ≤ diagonal, else 0
#include "ops/families/indexing/triangle.hpp"

namespace chop::ops::tril {

OpDef define() {
  return triangle_op(
      /*lower=*/true,
      {.name = "tril",
       .doc = "y[..., i, j] = x[..., i, j] where j − i ≤ diagonal, else 0: the lower "
              "triangle of each matrix",
       .function = "torch.tril",
       .method = "tril",
       .torch = "torch.tril(x, diagonal)"});
}

}  // namespace chop::ops::tril
