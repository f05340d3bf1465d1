// y = sin x
#include "ops/core/common.hpp"

namespace chop::ops::sin_ {

OpDef define() {
  return unary_op({
      .name = "sin",
      .doc = "y = sin x",
      .unary = {.value = [](double x, const Call&) { return std::sin(x); },
                .slope = [](double x, double, const Call&) { return std::cos(x); }},
      .onnx = {{"Sin", 7}},
  });
}

}  // namespace chop::ops::sin_
