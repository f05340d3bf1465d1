// y = |x|
#include "ops/core/common.hpp"
#include "ops/families/elementwise/whole.hpp"

namespace chop::ops::abs_ {
namespace {

double slope(double x, double /*y*/, const Call& /*call*/) {
  return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0);  // 0 at 0
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "abs",
      .doc = "y = |x|",
      .mase_type = MaseType::ImplicitFunc,
      .unary = {
          .value = [](double x, const Call&) { return std::abs(x); },
          .slope = slope,
          .whole = [](std::int64_t x, const Call&) { return x < 0 ? wrapping_sub(0, x) : x; }},
      .onnx = {{"Abs", 6}},
      .samples = each_of({{.shape = {4, 5}, .avoid = {0.0}},
                          {.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {0.0}},
                          {.shape = {1}, .avoid = {0.0}},
                          {.shape = {0, 3}},
                          wholes({2, 3}, -9, 9),
                          wholes({3}, 0, 9, DType::U8)}),
  });
}

}  // namespace chop::ops::abs_
