// y = whether a ≥ b
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::ge {

OpDef define() {
  return comparison({
      .name = "ge",
      .doc = "y = whether a ≥ b; shapes broadcast",
      .mase_type = MaseType::ImplicitFunc,
      .forward = compared<std::greater_equal<>>,
      .onnx = {{"GreaterOrEqual", 12}},
  });
}

}  // namespace chop::ops::ge
