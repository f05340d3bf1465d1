// y = tan x
#include "ops/core/common.hpp"

namespace chop::ops::tan_ {

OpDef define() {
  return unary_op({
      .name = "tan",
      .doc = "y = tan x",
      .unary = {.value = [](double x, const Call&) { return std::tan(x); },
                .slope = [](double, double y, const Call&) { return 1 + y * y; },
                .from_output = true},
      .onnx = {{"Tan", 7}},
      .samples = each_of({{.shape = {4, 5}, .low = -1.4, .high = 1.4},
                          {.shape = {7}, .low = 2.0, .high = 4.0},
                          {.shape = {1}, .low = -1, .high = 1},
                          {.shape = {0, 3}}}),
  });
}

}  // namespace chop::ops::tan_
