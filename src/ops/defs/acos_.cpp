// y = arccos x
#include "ops/core/common.hpp"

namespace chop::ops::acos_ {

OpDef define() {
  return unary_op({
      .name = "acos",
      .doc = "y = arccos x, in [0, π]; NaN outside [-1, 1]",
      .unary = {.value = [](double x, const Call&) { return std::acos(x); },
                .slope = [](double x, double, const Call&) { return -1 / std::sqrt(1 - x * x); }},
      .onnx = {{"Acos", 7}},
      .samples = usual_samples(-0.95, 0.95, 0.5, 0.9),
  });
}

}  // namespace chop::ops::acos_
