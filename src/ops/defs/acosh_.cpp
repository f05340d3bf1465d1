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
      .samples = usual_samples(1.1, 5, 2, 1e4),
  });
}

}  // namespace chop::ops::acosh_
