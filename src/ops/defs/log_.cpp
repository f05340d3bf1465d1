// y = ln x
#include "ops/core/common.hpp"

namespace chop::ops::log_ {

OpDef define() {
  return unary_op({
      .name = "log",
      .doc = "y = ln x: -∞ at 0, NaN below",
      .unary = {.value = [](double x, const Call&) { return std::log(x); },
                .slope = [](double x, double, const Call&) { return 1 / x; }},
      .onnx = {{"Log", 6}},
      .samples = usual_samples(0.1, 5, 1, 1e8),
  });
}

}  // namespace chop::ops::log_
