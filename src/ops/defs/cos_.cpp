// y = cos x
#include "ops/core/common.hpp"

namespace chop::ops::cos_ {

OpDef define() {
  return unary_op({
      .name = "cos",
      .doc = "y = cos x",
      .unary = {.value = [](double x, const Call&) { return std::cos(x); },
                .slope = [](double x, double, const Call&) { return -std::sin(x); }},
      .onnx = {{"Cos", 7}},
  });
}

}  // namespace chop::ops::cos_
