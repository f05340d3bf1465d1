// y = x under another shape with as many elements; one dimension may be -1
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::reshape {

OpDef define() {
  return reshape_op({
      .name = "reshape",
      .doc = "x under another shape with as many elements",
      .method = "reshape",
      .torch = "torch.reshape(x, shape)",
      .fx = "x, (shape)",
  });
}

}  // namespace chop::ops::reshape
