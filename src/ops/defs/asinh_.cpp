// y = arsinh x
#include "ops/core/common.hpp"

namespace chop::ops::asinh_ {

OpDef define() {
  return unary_op({
      .name = "asinh",
      .doc = "y = arsinh x, the inverse of sinh",
      .unary = {.value = [](double x, const Call&) { return std::asinh(x); },
                .slope = [](double x, double, const Call&) { return 1 / std::hypot(x, 1); }},
      .onnx = {{"Asinh", 9}},
  });
}

}  // namespace chop::ops::asinh_
