// y = cosh x
#include "ops/core/common.hpp"

namespace chop::ops::cosh_ {

OpDef define() {
  return unary_op({
      .name = "cosh",
      .doc = "y = cosh x",
      .unary = {.value = [](double x, const Call&) { return std::cosh(x); },
                .slope = [](double x, double, const Call&) { return std::sinh(x); }},
      .onnx = {{"Cosh", 9}},
      .samples = usual_samples(-3, 3, -5, 5),
  });
}

}  // namespace chop::ops::cosh_
