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
      .samples = each_of({{.shape = {4, 5}, .low = 0.1, .high = 5},
                          {.shape = {7}, .low = 1, .high = 1e8},
                          {.shape = {1}, .low = 0.5, .high = 1},
                          {.shape = {0, 3}}}),
  });
}

}  // namespace chop::ops::sqrt_
