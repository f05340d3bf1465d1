// y = whether a < b
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::lt {

OpDef define() {
  return comparison({
      .name = "lt",
      .doc = "y = whether a < b; shapes broadcast",
      .forward = compared<std::less<>>,
      .onnx = {{"Less", 9}},
  });
}

}  // namespace chop::ops::lt
