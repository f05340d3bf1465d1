// y = arcosh x
#include "ops/core/common.hpp"

namespace chop::ops::acosh_ {

OpDef define() {
  return unary_op({
      .name = "acosh",
      .doc = "y = arcosh x, the inverse of cosh; NaN below 1",
      .unary = {.value = [](double x, const Call&) { return std::acosh(x); },
                .slope = [](double x, double, const Call&) { return 1 / std::sqrt(x * x - 1); }},
      .onnx = {{"Acosh", 9}},
      .samples = each_of({{.shape = {4, 5}, .low = 1.1, .high = 5},
                          {.shape = {7}, .low = 2, .high = 1e4},
                          {.shape = {1}, .low = 2, .high = 3},
                          {.shape = {0, 3}, .low = 1, .high = 2}}),
  });
}

}  // namespace chop::ops::acosh_
