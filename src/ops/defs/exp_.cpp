// y = eˣ
#include "ops/core/common.hpp"

namespace chop::ops::exp_ {

OpDef define() {
  return unary_op({
      .name = "exp",
      .doc = "y = eˣ",
      .unary = {.value = [](double x, const Call&) { return std::exp(x); },
                .slope = [](double, double y, const Call&) { return y; },
                .from_output = true},
      .onnx = {{"Exp", 6}},
      .samples = usual_samples(-3, 3, -100, 3),
  });
}

}  // namespace chop::ops::exp_
