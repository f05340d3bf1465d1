// y = √x
#include "ops/core/common.hpp"

namespace chop::ops::sqrt_ {

OpDef define() {
  return unary_op({
      .name = "sqrt",
      .doc = "y = √x: NaN below 0",
      .unary = {.value = [](double x, const Call&) { return std::sqrt(x); },
                .slope = [](double, double y, const Call&) { return 0.5 / y; },
                .from_output = true},
      .onnx = {{"Sqrt", 6}},
      .samples = usual_samples(0.1, 5, 1, 1e8),
  });
}

}  // namespace chop::ops::sqrt_
