// y = ln x
#include "ops/core/common.hpp"

namespace chop::ops::log_ {

OpDef define() {
  return unary_op({
      .name = "log",
      .doc = "y = ln x: -∞ at 0, NaN below",
      .unary = {.value = [](double x, const Call&) { return std::log(x); },
                .slope = [](double x, double, const Call&) { return 1 / x; }},
      .onnx = {{"Log", 6}},
      .samples = each_of({{.shape = {4, 5}, .low = 0.1, .high = 5},
                          {.shape = {7}, .low = 1.0, .high = 1e8},
                          {.shape = {1}, .low = 0.5, .high = 1},
                          {.shape = {0, 3}}}),
  });
}

}  // namespace chop::ops::log_
