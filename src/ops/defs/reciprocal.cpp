// y = 1 / x
#include "ops/core/common.hpp"

namespace chop::ops::reciprocal {

OpDef define() {
  return unary_op({
      .name = "reciprocal",
      .doc = "y = 1 / x: ±∞ at ±0",
      .unary = {.value = [](double x, const Call&) { return 1 / x; },
                .slope = [](double, double y, const Call&) { return -y * y; },
                .from_output = true},
      .onnx = {{"Reciprocal", 6}},
      .samples = usual_samples(0.3, 3, -1e4, -1),
  });
}

}  // namespace chop::ops::reciprocal
