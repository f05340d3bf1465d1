// y = tan x
#include "ops/core/common.hpp"

namespace chop::ops::tan_ {

OpDef define() {
  return unary_op({
      .name = "tan",
      .doc = "y = tan x",
      .unary = {.value = [](double x, const Call&) { return std::tan(x); },
                .slope = [](double, double y, const Call&) { return 1 + y * y; },
                .from_output = true},
      .onnx = {{"Tan", 7}},
      .samples = usual_samples(-1.4, 1.4, 2, 4),
  });
}

}  // namespace chop::ops::tan_
