// y = the smaller of a and b; NaN if one of them is
#include <functional>

#include "ops/families/elementwise/binary.hpp"

namespace chop::ops::minimum {

OpDef define() {
  return pick_op({
      .name = "minimum",
      .doc = "y = min(a, b); shapes broadcast, NaN wins. The gradient goes to the smaller one, in "
             "halves where they are equal",
      .binary = picking<std::less<>>(),
      .onnx = {{"Min", 8}},
  });
}

}  // namespace chop::ops::minimum
