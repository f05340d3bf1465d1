// y = arcsin x
#include "ops/core/common.hpp"

namespace chop::ops::asin_ {

OpDef define() {
  return unary_op({
      .name = "asin",
      .doc = "y = arcsin x, in [-π/2, π/2]; NaN outside [-1, 1]",
      .unary = {.value = [](double x, const Call&) { return std::asin(x); },
                .slope = [](double x, double, const Call&) { return 1 / std::sqrt(1 - x * x); }},
      .onnx = {{"Asin", 7}},
      .samples = usual_samples(-0.95, 0.95, 0.5, 0.9),
  });
}

}  // namespace chop::ops::asin_
