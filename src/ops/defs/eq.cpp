// y = whether a = b
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::eq {

OpDef define() {
  return comparison({
      .name = "eq",
      .doc = "y = whether a = b; shapes broadcast. NaN equals nothing",
      .mase_type = MaseType::ImplicitFunc,
      .traits = Trait::Commutative,
      .forward = compared<std::equal_to<>>,
      .onnx = {{"Equal", 11}},
      .samples = {{.inputs = {truths({9}), truths({9})}}},
  });
}

}  // namespace chop::ops::eq
