// y = artanh x
#include "ops/core/common.hpp"

namespace chop::ops::atanh_ {

OpDef define() {
  return unary_op({
      .name = "atanh",
      .doc = "y = artanh x, the inverse of tanh; ±∞ at ±1, NaN beyond",
      .unary = {.value = [](double x, const Call&) { return std::atanh(x); },
                .slope = [](double x, double, const Call&) { return 1 / (1 - x * x); }},
      .onnx = {{"Atanh", 9}},
      .samples = each_of({{.shape = {4, 5}, .low = -0.95, .high = 0.95},
                          {.shape = {1}, .low = 0.5, .high = 0.9},
                          {.shape = {0, 3}, .low = -1, .high = 1}}),
  });
}

}  // namespace chop::ops::atanh_
