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
      .samples = usual_samples(-0.95, 0.95, 0.5, 0.9),
  });
}

}  // namespace chop::ops::atanh_
