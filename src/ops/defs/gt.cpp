// y = whether a > b
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::gt {

OpDef define() {
  return comparison({
      .name = "gt",
      .doc = "y = whether a > b; shapes broadcast",
      .forward = compared<std::greater<>>,
      .onnx = {{"Greater", 9}},
  });
}

}  // namespace chop::ops::gt
