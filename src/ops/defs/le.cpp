// y = whether a ≤ b
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::le {

OpDef define() {
  return comparison({
      .name = "le",
      .doc = "y = whether a ≤ b; shapes broadcast",
      .forward = compared<std::less_equal<>>,
      .onnx = {{"LessOrEqual", 12}},
  });
}

}  // namespace chop::ops::le
