// y = x under another shape with as many elements; one dimension may be -1
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::view {

OpDef define() {
  return reshape_op({
      .name = "view",
      .doc = "x under another shape with as many elements",
      .method = "view",
      .torch = "x.view(shape)",
  });
}

}  // namespace chop::ops::view
