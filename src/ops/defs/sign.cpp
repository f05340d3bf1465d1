// y = 1 above 0, -1 below, else 0
#include "ops/core/common.hpp"

namespace chop::ops::sign {

OpDef define() {
  return unary_op({
      .name = "sign",
      .doc = "y = 1 if x > 0, -1 if x < 0, else 0; so 0 of NaN, as in PyTorch",
      .traits = Trait::NoGradient,
      .unary = {
          .value = [](double x, const Call&) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0); },
          .whole = [](std::int64_t x, const Call&) -> std::int64_t { return (x > 0) - (x < 0); }},
      .onnx = {{"Sign", 9}},
      .samples = each_of({{.shape = {4, 5}},
                          {.shape = {7}, .low = -1e30, .high = 1e30},
                          {.shape = {2}, .low = 0, .high = 0},
                          {.shape = {0, 3}},
                          wholes({2, 3}, -9, 9)}),
  });
}

}  // namespace chop::ops::sign
