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
      .samples = {{.inputs = {{.shape = {9}, .low = 0, .high = 2, .dtype = DType::Bool},
                              {.shape = {9}, .low = 0, .high = 2, .dtype = DType::Bool}}}},
  });
}

}  // namespace chop::ops::eq
