// y = arctan x
#include "ops/core/common.hpp"

namespace chop::ops::atan_ {

OpDef define() {
  return unary_op({
      .name = "atan",
      .doc = "y = arctan x, in [-π/2, π/2]",
      .unary = {.value = [](double x, const Call&) { return std::atan(x); },
                .slope = [](double x, double, const Call&) { return 1 / (1 + x * x); }},
      .onnx = {{"Atan", 7}},
  });
}

}  // namespace chop::ops::atan_
