// y = the larger of a and b; NaN if one of them is
#include <functional>

#include "ops/families/elementwise/binary.hpp"

namespace chop::ops::maximum {

OpDef define() {
  return pick_op({
      .name = "maximum",
      .doc = "y = max(a, b); shapes broadcast, NaN wins. The gradient goes to the larger one, in "
             "halves where they are equal",
      .binary = picking<std::greater<>>(),
      .onnx = {{"Max", 8}},
  });
}

}  // namespace chop::ops::maximum
