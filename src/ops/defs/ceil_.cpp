// y = the smallest whole number that is not below x
#include "ops/core/common.hpp"

namespace chop::ops::ceil_ {

OpDef define() {
  return unary_op({
      .name = "ceil",
      .doc = "y = the smallest whole number that is not below x",
      .traits = Trait::NoGradient,
      .unary = {.value = [](double x, const Call&) { return std::ceil(x); }},
      .onnx = {{"Ceil", 6}},
      .samples = usual_samples(-3, 3, -1e8, 1e8),
  });
}

}  // namespace chop::ops::ceil_
