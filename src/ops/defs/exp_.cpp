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
      .samples = each_of({{.shape = {4, 5}},
                          {.shape = {7}, .low = -100, .high = 3},
                          {.shape = {1}},
                          {.shape = {0, 3}}}),
  });
}

}  // namespace chop::ops::exp_
