// y = sinh x
#include "ops/core/common.hpp"

namespace chop::ops::sinh_ {

OpDef define() {
  return unary_op({
      .name = "sinh",
      .doc = "y = sinh x",
      .unary = {.value = [](double x, const Call&) { return std::sinh(x); },
                .slope = [](double x, double, const Call&) { return std::cosh(x); }},
      .onnx = {{"Sinh", 9}},
      .samples = usual_samples(-3, 3, -5, 5),
  });
}

}  // namespace chop::ops::sinh_
