// y = -x
#include "ops/core/common.hpp"
#include "ops/families/elementwise/whole.hpp"

namespace chop::ops::neg {

OpDef define() {
  return unary_op({
      .name = "neg",
      .doc = "y = -x",
      .unary = {.value = [](double x, const Call&) { return -x; },
                .slope = [](double, double, const Call&) { return -1.0; },
                .whole = [](std::int64_t x, const Call&) { return wrapping_sub(0, x); }},
      .onnx = {{"Neg", 6}},
      .samples = each_of({{.shape = {4, 5}},
                          {.shape = {7}, .low = -1e4, .high = 1e4},
                          {.shape = {1}},
                          {.shape = {0, 3}},
                          wholes({2, 3}, -9, 9),
                          wholes({3}, -9, 9, DType::I8)}),
  });
}

}  // namespace chop::ops::neg
