// y = erf x
#include "ops/core/common.hpp"

namespace chop::ops::erf_ {
namespace {

double slope(double x, double /*y*/, const Call& /*call*/) {
  return 1.1283791670955126 * std::exp(-x * x);  // 2/√π
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "erf",
      .doc = "y = erf x = 2/√π · ∫₀ˣ exp(-t²) dt",
      .unary = {.value = [](double x, const Call&) { return std::erf(x); }, .slope = slope},
      .onnx = {{"Erf", 9}},
  });
}

}  // namespace chop::ops::erf_
