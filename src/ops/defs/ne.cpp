// y = whether a ≠ b
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::ne {

OpDef define() {
  return comparison({
      .name = "ne",
      .doc = "y = whether a ≠ b; shapes broadcast. NaN differs from everything",
      .mase_type = MaseType::ImplicitFunc,
      .traits = Trait::Commutative,
      .forward = compared<std::not_equal_to<>>,
      .samples = {{.inputs = {truths({9}), truths({9})}}},
  });
}

}  // namespace chop::ops::ne
