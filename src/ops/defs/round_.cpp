// y = the whole number nearest to x, the even one of two
#include "ops/core/common.hpp"

namespace chop::ops::round_ {

OpDef define() {
  return unary_op({
      .name = "round",
      .doc = "y = the whole number nearest to x, the even one of two",
      .traits = Trait::NoGradient,
      .unary = {.value = [](double x, const Call&) { return std::nearbyint(x); }},
      .onnx = {{"Round", 11}},
      .samples = each_of({{.shape = {4, 5}},
                          {.shape = {7}, .low = -1e8, .high = 1e8},
                          {.shape = {3}, .low = 2.5, .high = 2.5},
                          {.shape = {3}, .low = -1.5, .high = -1.5},
                          {.shape = {0, 3}}}),
  });
}

}  // namespace chop::ops::round_
