// y = the smallest whole number that is not below x
#include "ops/core/common.hpp"

namespace chop::ops::ceil_ {

OpDef define() {
  return unary_op({
      .name = "ceil",
      .doc = "y = the smallest whole number that is not below x",
      .traits = Trait::NoGradient,
      .unary = {.value = [](double x, const Call&) { return std::ceil(x); }},
      .onnx = {{"Ceil", 6}},
      .samples = each_of({{.shape = {4, 5}},
                          {.shape = {7}, .low = -1e8, .high = 1e8},
                          {.shape = {1}},
                          {.shape = {0, 3}}}),
  });
}

}  // namespace chop::ops::ceil_
