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
      .samples = each_of({{.shape = {4, 5}, .low = -0.95, .high = 0.95},
                          {.shape = {1}, .low = 0.5, .high = 0.9},
                          {.shape = {0, 3}, .low = -1, .high = 1}}),
  });
}

}  // namespace chop::ops::acos_
