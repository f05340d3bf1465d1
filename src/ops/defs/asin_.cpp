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
      .samples = each_of({{.shape = {4, 5}, .low = -0.95, .high = 0.95},
                          {.shape = {1}, .low = 0.5, .high = 0.9},
                          {.shape = {0, 3}, .low = -1, .high = 1}}),
  });
}

}  // namespace chop::ops::asin_
