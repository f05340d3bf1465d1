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
      .samples = each_of({{.shape = {4, 5}, .low = 0.3, .high = 3},
                          {.shape = {7}, .low = -1e4, .high = -1},
                          {.shape = {1}, .low = 1, .high = 2},
                          {.shape = {0, 3}}}),
  });
}

}  // namespace chop::ops::reciprocal
