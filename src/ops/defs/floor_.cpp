// y = the largest whole number that is not above x
#include "ops/core/common.hpp"

namespace chop::ops::floor_ {

OpDef define() {
  return unary_op({
      .name = "floor",
      .doc = "y = the largest whole number that is not above x",
      .traits = Trait::NoGradient,
      .unary = {.value = [](double x, const Call&) { return std::floor(x); }},
      .onnx = {{"Floor", 6}},
      .samples = usual_samples(-3, 3, -1e8, 1e8),
  });
}

}  // namespace chop::ops::floor_
