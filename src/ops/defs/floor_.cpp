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
      .samples = each_of({{.shape = {4, 5}},
                          {.shape = {7}, .low = -1e8, .high = 1e8},
                          {.shape = {1}},
                          {.shape = {0, 3}}}),
  });
}

}  // namespace chop::ops::floor_
